/* As scip.h beside it. */
#include "scip/scip.h"
SCIP_RETCODE SCIPincludeDefaultPlugins(SCIP* scip);
