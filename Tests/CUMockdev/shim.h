// Only brings the compiler and linker flags of umockdev to CMockUSB, which includes the library's header itself. There
// is no `link` in the module map: where the package is missing, CMockUSB is built without it.
