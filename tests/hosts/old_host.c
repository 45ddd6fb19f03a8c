/* A program on the old SCIP, with the plugin preloaded (SCIPincludeDefaultPlugins is then Apollo's). */
#include <dlfcn.h>
#include <stdio.h>

int SCIPincludeDefaultPlugins(void* scip);

int main(void)
{
   static int scip; /* never looked into */
   int (*include)(void*) = (int (*)(void*))dlsym(RTLD_DEFAULT, "SCIPincludeHeurApollo");
   for (int nested = 0; nested < 2; ++nested) /* a SCIP, and a sub-SCIP of it */
      printf("default plugins: %d\n", SCIPincludeDefaultPlugins(&scip));
   if (include != NULL)
      printf("by hand: %d\n", include(&scip));
   puts("the host goes on");
   return 0;
}
