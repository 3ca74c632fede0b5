// A plug-in that another build made.
extern "C" const char *boost_sim_version() { return "0.0.1"; }
extern "C" void boost_sim_create() {}
