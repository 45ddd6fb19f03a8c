/* A stand-in for SCIP's header where only its library is there: the prototypes that program.c uses. */
#include <stdio.h>

typedef struct Scip SCIP;
typedef int SCIP_RETCODE;
typedef long long SCIP_Longint;
#define SCIP_OKAY 1

SCIP_RETCODE SCIPcreate(SCIP** scip);
SCIP_RETCODE SCIPreadProb(SCIP* scip, const char* file, const char* extension);
SCIP_RETCODE SCIPreadParams(SCIP* scip, const char* file);
SCIP_RETCODE SCIPsolve(SCIP* scip);
SCIP_RETCODE SCIPprintStatistics(SCIP* scip, FILE* file);
double SCIPgetPrimalbound(SCIP* scip);
SCIP_RETCODE SCIPfree(SCIP** scip);
