// Empty is what every program has.
package main

import "os"

func main() { os.Stdout.Write(nil) }
