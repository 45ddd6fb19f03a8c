/* A program without any SCIP that loads the plugin and calls it: no_scip PLUGIN */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv)
{
   void* plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_LAZY);
   int (*include)(void*) = plugin ? (int (*)(void*))dlsym(plugin, "SCIPincludeHeurApollo") : NULL;
   static int scip; /* never looked into */
   if (include == NULL)
      return 1;
   printf("returned %d\n", include(&scip));
   return 0;
}
