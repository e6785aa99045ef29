// This file lets unix_linux.go declare functions without a body.
