package modes

import "math/bits"

// MaxLanes is the largest number of streams that a kernel processes in parallel:
// byte-sliced SM4 kernels have 64 lanes, AES kernels at most 16.
const MaxLanes = 64

// A Schedule decides which streams of blocks go through a kernel together. In CBC
// encryption and the MACs based on it, each block waits for the one before, which
// leaves most of a CPU idle. A kernel for many streams ("lanes") processes one
// block of each in about the time of a single block. All lanes of a call process
// the same number of blocks. Messages differ in length, so a call takes as many
// blocks as the lane with the fewest has left, and lanes that have finished get
// new work before the next call.
//
// A lane processes one part of a message at a time: a number of contiguous blocks.
// A message may have several parts (in CCM: the data before the text, the text, its
// padded last block), and the next part of a lane belongs either to the same
// message or to a new one. The Schedule only counts blocks; memory and keys are up
// to the caller, which also calls the kernel:
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
// Lanes in use always have the lowest numbers. Drop moves the last lane to the
// number of the dropped one, and the caller must move its own data for that lane
// likewise. Memory that kernels have pointers to (the chaining value, a buffer for
// padding) can stay in place if the caller swaps pointers to it.
//
// Lanes whose ciphers have different numbers of rounds cannot share a call. The
// caller makes one pass over its messages for each number of rounds, each with its
// own schedule, and skips the other messages.
//
// Every call of a kernel has some overhead, and a call ends whenever a part ends.
// There are at most as many calls as parts, and far fewer if parts have the same
// length, because lanes that start together end together. It is therefore
// worthwhile to copy a short message so that it becomes a single part. Messages
// should be given longest first, so that no long one is left to be processed alone
// at the end.
//
// A Schedule contains no pointers and does not allocate.
type Schedule struct {
	now   uint64           // number of blocks per lane since Start
	end   [MaxLanes]uint64 // value of now at which the lane's part ends
	lanes int              // number of lanes, busy or idle
	idle  uint64           // bit i: lane i
}

// Start resets the schedule to the given number of lanes, at most [MaxLanes], all
// idle.
func (s *Schedule) Start(lanes int) {
	*s = Schedule{lanes: lanes, idle: 1<<lanes - 1}
}

// Lanes returns the number of lanes. They are numbered from 0.
func (s *Schedule) Lanes() int { return s.lanes }

// Idle returns the idle lane with the lowest number, if there is one.
func (s *Schedule) Idle() (lane int, ok bool) {
	return bits.TrailingZeros64(s.idle) & (MaxLanes - 1), s.idle != 0
}

// Continue assigns a part of at least one block to an idle lane.
func (s *Schedule) Continue(lane, blocks int) {
	if blocks <= 0 {
		panic("modes: a lane with nothing to do")
	}
	s.end[lane] = s.now + uint64(blocks)
	s.idle &^= 1 << lane
}

// Drop removes an idle lane. The lane with the highest number, which Drop returns,
// takes its place. That lane may itself be idle, and may be the removed one.
func (s *Schedule) Drop(lane int) (last int) {
	last = s.lanes - 1
	s.end[lane] = s.end[last]
	s.idle = s.idle&^(1<<lane) | s.idle>>last<<lane
	s.idle &^= 1 << last
	s.lanes = last
	return last
}

// Step returns the number of blocks for the next call of the kernel: as many as the
// lane with the fewest has left, but at most most. The caller must then make that
// call. Step returns 0 if there are no lanes.
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
