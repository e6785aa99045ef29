package modes

import "math/bits"

// MaxLanes is the largest number of streams that a kernel works on side by
// side: those that slice SM4 by bytes take 64, those of AES 16 at most.
const MaxLanes = 64

// A Schedule says which streams of blocks go through a kernel together. In CBC
// encryption and the MACs made of it each block waits for the one before, which
// leaves most of a CPU idle; a kernel for many streams ("lanes") takes one block
// of each in about the time of one block of one. All lanes of a call have the
// same number of blocks. Messages do not: so a call takes as many blocks as the
// lane with the fewest has left, and lanes that have come to their end get
// something new before the next call.
//
// A lane has one part of a message at a time, a number of blocks that lie one
// after the other. A message may have several parts (CCM: what is in front of
// the text, the text, its last block with padding), and the next part of a lane
// is either of the same message or of a new one: the Schedule knows of blocks
// only, and the caller of memory and keys. It calls its kernel itself:
//
//	s.Start(min(width, len(messages)))
//	for {
//		for lane, ok := s.Idle(); ok; lane, ok = s.Idle() {
//			// Finish what the lane did. Then either its message has another
//			// part, or there is another message:
//			s.Continue(lane, blocks)
//			// or not:
//			last := s.Drop(lane)
//			lanes[lane], lanes[last] = lanes[last], lanes[lane]
//		}
//		n := s.Step(most)
//		if n == 0 {
//			break
//		}
//		kernel(lanes[:s.Lanes()], n)
//	}
//
// Busy lanes are always the first ones. Drop gives the number of the dropped lane
// to the last: whatever the caller keeps by lane changes places with it. Memory
// that kernels have pointers to (the chaining value, a buffer for padding) stays
// where it is if the caller exchanges pointers to it.
//
// Lanes whose ciphers have different numbers of rounds cannot share a call. The
// caller goes over its messages once for each number of rounds, each time with a
// schedule of its own, and skips the messages of the others.
//
// A call of a kernel costs something in itself, and there is one for each time
// at which a part ends: at most as many as parts, and far fewer if parts have the
// same length, because lanes that start together end together. So a caller does
// well to make one part of a short message by copying it. Messages are best
// given in order of length, the longest first: then no long one is left over at
// the end to go alone.
//
// A Schedule has no pointers and allocates nothing.
type Schedule struct {
	now   uint64           // blocks that a lane has done which has been there all the time
	end   [MaxLanes]uint64 // of the lane's part, on the same clock
	lanes int              // that are busy or idle
	idle  uint64           // bit i: lane i
}

// Start begins with so many lanes, at most [MaxLanes], all idle.
func (s *Schedule) Start(lanes int) {
	*s = Schedule{lanes: lanes, idle: 1<<lanes - 1}
}

// Lanes returns how many lanes there are. Their numbers are those below.
func (s *Schedule) Lanes() int { return s.lanes }

// Idle returns a lane that has nothing to do, if there is one: the one of the
// lowest number.
func (s *Schedule) Idle() (lane int, ok bool) {
	return bits.TrailingZeros64(s.idle) & (MaxLanes - 1), s.idle != 0
}

// Continue gives an idle lane a part of so many blocks, at least one.
func (s *Schedule) Continue(lane, blocks int) {
	if blocks <= 0 {
		panic("modes: a lane with nothing to do")
	}
	s.end[lane] = s.now + uint64(blocks)
	s.idle &^= 1 << lane
}

// Drop takes an idle lane away. The lane of the highest number, which it
// returns, takes the place of that lane, and may be idle too. It may be the same
// one.
func (s *Schedule) Drop(lane int) (last int) {
	last = s.lanes - 1
	s.end[lane] = s.end[last]
	s.idle = s.idle&^(1<<lane) | s.idle>>last<<lane
	s.idle &^= 1 << last
	s.lanes = last
	return last
}

// Step returns how many blocks of each lane the next call takes: as many as the
// lane with the fewest has left, but not more than most. The call must take
// place. It returns 0 if there are no lanes.
func (s *Schedule) Step(most int) (blocks int) {
	if s.lanes == 0 {
		return 0
	}
	if s.idle != 0 {
		panic("modes: an idle lane")
	}
	next := s.now + uint64(most)
	for _, end := range s.end[:s.lanes] {
		next = min(next, end)
	}
	for lane, end := range s.end[:s.lanes] {
		if end == next {
			s.idle |= 1 << lane
		}
	}
	blocks = int(next - s.now)
	s.now = next
	return blocks
}
