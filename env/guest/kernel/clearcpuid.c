/* The boot parameter clearcpuid, which other x86 kernels have; patch.py puts it into um_arch.c. */
static char cleared_flags[COMMAND_LINE_SIZE] __initdata;

static int __init uml_clearcpuid(char *line, int *add)
{
	strscpy(cleared_flags, line, sizeof(cleared_flags));
	return 0;
}

__uml_setup("clearcpuid=", uml_clearcpuid,
"clearcpuid=<flag>,<flag>,... | all\n"
"    Flags of the host's processor, by their names in /proc/cpuinfo, that\n"
"    this kernel acts as if they were missing. Programs are not affected.\n\n"
);

static void __init clear_host_cpu_flags(void)
{
	char *rest = cleared_flags, *flag;
	int i;

	while ((flag = strsep(&rest, ",")) != NULL)
		for (i = 0; i < 32*NCAPINTS; i++)
			if (x86_cap_flags[i] && (!strcmp(flag, "all") ||
						 !strcmp(flag, x86_cap_flags[i])))
				clear_bit(i, (unsigned long *)boot_cpu_data.x86_capability);
}
