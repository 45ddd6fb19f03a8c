/* Apollo-MILP for SCIP: alternating prediction and trust-region search.
 *
 * Link with -lheur_apollo (and SCIP 10 as usual), then, after SCIPincludeDefaultPlugins():
 *
 *     SCIP_CALL( SCIPincludeHeurApollo(scip) );
 *
 * Parameters are under heuristics/apollo/ (docs/PARAMETERS.md).
 */
#ifndef HEUR_APOLLO_H
#define HEUR_APOLLO_H

#include "scip/scip.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Includes the primal heuristic "apollo" in a SCIP. Call it before the problem is transformed.
 *  A SCIP of another major version than 10 is refused with one sentence on stderr: the call still
 *  returns SCIP_OKAY, and the solve goes on without Apollo.
 */
SCIP_RETCODE SCIPincludeHeurApollo(
   SCIP*                 scip                /**< SCIP data structure */
   );

#ifdef __cplusplus
}
#endif

#endif
