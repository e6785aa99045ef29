package ctcheck

// disassemble compares instructions that are written as data with what a disassembler
// makes of them.
func disassemble(a *arch, tasks []*task) (encoded, checked int, found []Finding) {
	return 0, 0, nil
}
