/* A stock SCIP shell: what the executable `scip` is, and nothing of Apollo. */
typedef int SCIP_RETCODE; /* the wheel's libscip comes without headers */
SCIP_RETCODE SCIPrunShell(int argc, char** argv, const char* settings);

int main(int argc, char** argv)
{
   return SCIPrunShell(argc, argv, "scip.set") == 1 ? 0 : 1;
}
