/* A SCIP of another major version, as far as the plugin looks at one. */
#include <stdio.h>
#include <stdlib.h>

int SCIPmajorVersion(void) { return 9; }
int SCIPminorVersion(void) { return 2; }
int SCIPtechVersion(void) { return 4; }

int SCIPincludeDefaultPlugins(void* scip)
{
   (void)scip;
   puts("default plugins of the old SCIP");
   return 1;
}

/* Its interface may differ from what the plugin knows: whoever calls it has not looked at the version. */
int SCIPincludeHeurBasic(void) { abort(); }
void* SCIPfindHeur(void) { abort(); }
