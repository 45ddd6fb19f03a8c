/* A C program that includes Apollo by its header: program FILE SETTINGS */
#include "scip/scip.h"
#include "scip/scipdefplugins.h"
#include "heur_apollo.h"

#define TRY(call) do { if ((call) != SCIP_OKAY) { fprintf(stderr, "failed: %s\n", #call); return 1; } } while (0)

int main(int argc, char** argv)
{
   SCIP* scip = NULL;
   if (argc != 3)
      return 2;
   TRY(SCIPcreate(&scip));
   TRY(SCIPincludeDefaultPlugins(scip));
   TRY(SCIPincludeHeurApollo(scip));
   TRY(SCIPreadParams(scip, argv[2]));
   TRY(SCIPreadProb(scip, argv[1], NULL));
   TRY(SCIPsolve(scip));
   TRY(SCIPprintStatistics(scip, NULL));
   printf("objective %.0f\n", SCIPgetPrimalbound(scip));
   TRY(SCIPfree(&scip));
   return 0;
}
