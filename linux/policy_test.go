package linux

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

func TestFit(t *testing.T) {
	for _, want := range [][2]float64{{15400, 7.9}, {44000, 3.57}, {0, 12}, {900, 0}} {
		var times []float64
		for _, n := range sampled {
			times = append(times, want[0]+want[1]*float64(n))
		}
		a, b := fit(sampled, times)
		if math.Abs(a-want[0]) > 1 || math.Abs(b-want[1]) > 1e-3 {
			t.Errorf("%v: a %v, b %v", want, a, b)
		}
		// Times with errors of less than 5 % are fitted within 10 %.
		for i := range times {
			times[i] *= []float64{1.05, 0.95, 1.04, 0.96, 1.03}[i]
		}
		a, b = fit(sampled, times)
		for i, n := range sampled {
			if r := (a + b*float64(n)) / times[i]; r < 0.9 || r > 1.1 {
				t.Errorf("%v: %d bytes: %v times as long", want, n, r)
			}
		}
	}
	if a, b := fit([]int{1, 2, 3}, []float64{9, 5, 1}); a < 0 || b < 0 {
		t.Errorf("negative: %v, %v", a, b)
	}
}

func TestCrossover(t *testing.T) {
	for _, c := range []struct {
		name           string
		linux, soft    [2]float64 // a, b
		noise          float64    // of the first samples of Linux
		least, largest int        // 0: never
	}{
		{"SpacemiT K1", [2]float64{44000, 3.57}, [2]float64{200, 46.75}, 1, 1000, 1200},
		{"K1 with our code", [2]float64{44000, 3.57}, [2]float64{500, 19.2}, 1, 3100, 3300},
		{"this library on a server", [2]float64{2000, 0.8}, [2]float64{20, 0.7}, 1, 0, 0},
		{"hardly faster", [2]float64{2000, 0.65}, [2]float64{20, 0.7}, 1, 0, 0},
		{"from the floor on", [2]float64{1000, 1}, [2]float64{100, 50}, 1, offload.Floor, offload.Floor},
		{"late", [2]float64{200000, 1}, [2]float64{0, 5}, 1, 57000, 57300},
		{"at 64 KiB not yet", [2]float64{300000, 1}, [2]float64{0, 5}, 1, 0, 0},
		{"the model is wrong for 4 KiB", [2]float64{44000, 3.57}, [2]float64{200, 46.75}, 4, 4097, 4160},
	} {
		m := drivers.Crossover{A: c.linux[0], B: c.linux[1], SoftA: c.soft[0], SoftB: c.soft[1]}
		var ours, linux []float64
		for i, n := range sampled {
			f := 1.0
			if i < 3 {
				f = c.noise
			}
			ours = append(ours, m.SoftA+m.SoftB*float64(n))
			linux = append(linux, f*(m.A+m.B*float64(n)))
		}
		if n := crossover(m, ours, linux); n < c.least || n > c.largest {
			t.Errorf("%s: from %d bytes, want %d to %d", c.name, n, c.least, c.largest)
		}
	}
}

// A whole measurement, with software that is much slower, and with faster software.
func TestMeasure(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.crossovers = func(string) []drivers.Crossover { return nil }
	start := time.Now()
	Prepare("cbc(aes)")
	t.Logf("checks and measurements for three sizes of keys took %v", time.Since(start))
	for _, u := range p.status()[:6] {
		m := u.Model
		if u.State == Trying || u.State == Untried || u.Driver != "standin-cbc-aes" || m == (Model{}) || m.A < 0 || m.B < 0 || m.SoftA < 0 || m.SoftB < 0 {
			t.Errorf("%v: %+v", u, u)
		}
		if u.State == Unused && (u.From != 0 || !strings.Contains(u.Why, "not a tenth faster: 64 KiB take ")) {
			t.Errorf("%v", u)
		}
	}
	e := p.engines["ctr(aes)"][16]
	slowly := software{encrypt: func(dst, _, _ []byte) { time.Sleep(time.Duration(len(dst)) * 100) }}
	a := *e.algorithm
	a.software = func([]byte) software { return slowly }
	e.algorithm, e.name = &a, a.name
	object, err := e.open(a.name, make([]byte, 16), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer object.close()
	if err := e.measure(object, make([]byte, 16)); err != nil || e.ops[0].from() == 0 || e.ops[0].from() > 16384 {
		t.Errorf("software that is slow: %+v, %v", e.ops[0].found.Load(), err)
	}
	s.set(fails, 2, 1)
	if err := e.measure(object, make([]byte, 16)); err == nil {
		t.Error("a failure is passed over")
	}
}

// A profile saves the measurement, but not the check.
func TestProfile(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.crossovers = func(string) []drivers.Crossover {
		return []drivers.Crossover{
			{Algorithm: "cbc(aes)", Driver: "standin-cbc-aes", KeySize: 16, A: 1, B: 1, SoftA: 1e9, SoftB: 1e6, From: 2048},
			{Algorithm: "cbc(aes)", Driver: "standin-cbc-aes", KeySize: 16, Decrypt: true, A: 1, B: 2, SoftA: 1, SoftB: 1},
		}
	}
	Prepare("cbc(aes)")
	if u := useOf(p, "cbc(aes)", 16, 0); u.From != 2048 || u.State != InUse || u.Model.SoftB != 1e6 {
		t.Errorf("%+v", u)
	}
	if u := useOf(p, "cbc(aes)", 16, 1); u.From != 0 || u.State != Unused {
		t.Errorf("%+v", u)
	}
	calls := s.calls.Load()
	Measure("cbc(aes)")
	defer swap(p)
	if u := useOf(current.Load(), "cbc(aes)", 16, 0); u.Model.SoftB > 1e5 || u.Model.B == 0 || s.calls.Load() == calls {
		t.Errorf("not measured: %+v", u)
	}
}

// A measurement ends when its context does.
func TestMeasureContext(t *testing.T) {
	var measuring atomic.Int32
	w := &wrapped{standIn: newStandIn(), opening: func() { measuring.Add(1); time.Sleep(5 * time.Millisecond) }}
	p := enable(t, w, Engine)
	defer swap(p)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for measuring.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := MeasureContext(ctx); err != context.Canceled {
		t.Errorf("%v", err)
	}
	for _, u := range Status() {
		if u.State == InUse {
			t.Errorf("%+v", u)
		}
	}
	time.Sleep(100 * time.Millisecond)
	n := measuring.Load()
	if time.Sleep(100 * time.Millisecond); measuring.Load() > n {
		t.Error("goes on")
	}
	if err := MeasureContext(context.Background(), "nosuch"); err != nil {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	virtio := kcapi.Record{Name: "cbc(aes)", Driver: "virtio_crypto_aes_cbc", Priority: 150, Type: "skcipher", SelfTest: "passed", Async: true}
	aesni := kcapi.Record{Name: "cbc(aes)", Driver: "cbc-aes-aesni", Priority: 400, Type: "skcipher", SelfTest: "passed"}
	better := virtio
	better.Driver, better.Priority = "better", 500
	untested := better
	untested.SelfTest = "unknown"
	for _, c := range []struct {
		about       string
		mode        Mode
		change      func(*kcapi.Environment)
		name, drive string
		why         string // part of it
	}{
		{"an engine below the CPU", Engine, nil, "virtio_crypto_aes_cbc", "virtio_crypto_aes_cbc", ""},
		{"the better of two", Engine, func(e *kcapi.Environment) { e.Engines = append(e.Engines, better) }, "better", "better", ""},
		{"not tested", Engine, func(e *kcapi.Environment) { e.Engines = append(e.Engines, untested) }, "virtio_crypto_aes_cbc", "virtio_crypto_aes_cbc", ""},
		{"only ones not tested", Engine, func(e *kcapi.Environment) { e.Engines = []kcapi.Record{untested} }, "better", "better", ""},
		{"none", Engine, func(e *kcapi.Environment) { e.Engines = nil }, "", "", "no driver of an engine"},
		{"hidden", Engine, func(e *kcapi.Environment) { e.HidesEngines = true }, "", "", "since 7.2"},
		{"restricted", Engine, func(e *kcapi.Environment) { e.Restrict, e.Privileged = 1, true }, "", "", "af_alg_restrict"},
		{"restricted, and the winner", Engine, func(e *kcapi.Environment) {
			e.Restrict, e.Privileged = 1, true
			e.Algorithms[0].Priority = 999
		}, "cbc(aes)", "virtio_crypto_aes_cbc", ""},
		{"any", Any, nil, "cbc(aes)", "", ""},
		{"any, restricted", Any, func(e *kcapi.Environment) { e.Restrict = 1 }, "", "", "af_alg_restrict"},
		{"no AF_ALG", Any, func(e *kcapi.Environment) { e.AFALG = kcapi.Part{State: kcapi.Absent, Why: "because"} }, "", "", "absent: because"},
		{"blocked", Engine, func(e *kcapi.Environment) { e.AFALG = kcapi.Part{State: kcapi.Blocked, Why: "because"} }, "", "", "blocked: because"},
		{"not Linux", Any, func(e *kcapi.Environment) { e.Supported = false }, "", "", "it"},
	} {
		env := &kcapi.Environment{Supported: true, Restrict: -1, Algorithms: []kcapi.Record{virtio, aesni}, Engines: []kcapi.Record{virtio}}
		env.AFALG.State = kcapi.Ready
		if c.change != nil {
			c.change(env)
		}
		name, r, why := choose(env, algorithms[0], c.mode)
		if name != c.name || name != "" && r.Driver != c.drive || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, %q, %q", c.about, name, r.Driver, why)
		}
	}
}

// A vendor may have backported the change of 7.2 that hides engines: they are listed but
// cannot be opened.
func TestHiddenEngine(t *testing.T) {
	s := newStandIn()
	s.hidden = true
	p := enable(t, s, Engine)
	Prepare("cbc(aes)")
	if u := useOf(p, "cbc(aes)", 16, 0); u.State != Unused || !strings.Contains(u.Why, kcapi.ErrMasked.Error()) {
		t.Errorf("%+v", u)
	}
}

// Status lists every operation before anything is tried, with the driver that would be
// used.
func TestStatus(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	if u := useOf(p, "cbc(aes)", 16, 0); u.State != Planned || u.From != offload.Floor || u.String() != "cbc(aes), 128-bit keys, encrypt: planned, standin-cbc-aes, from 512 bytes on" {
		t.Errorf("with a profile: %+v", u)
	}
	p.crossovers = func(name string) []drivers.Crossover {
		list := alwaysUse(name)
		for i := range list {
			list[i].From = 0
		}
		return list
	}
	if u := useOf(p, "cbc(aes)", 16, 0); u.State != Unused || !strings.Contains(u.Why, "not a tenth faster") {
		t.Errorf("with a profile that says never: %+v", u)
	}
	p.crossovers = func(string) []drivers.Crossover { return nil }
	list := Status()
	n := 0
	for _, a := range algorithms {
		n += len(a.keySizes) * len(a.operations)
	}
	if len(list) != n {
		t.Errorf("%d operations, want %d", len(list), n)
	}
	for _, u := range list {
		if u.State != Untried || u.Driver != standInDriver(u.Algorithm) || !u.Engine || u.Why != "" || u.Mode != Engine {
			t.Errorf("%+v", u)
		}
	}
	if s.calls.Load()+s.opens.Load() != 0 {
		t.Error("Status opens something")
	}
	p.crossovers = alwaysUse
	p.engines["gcm(sm4)"][16].prepare(true)
	want := "gcm(sm4), 128-bit keys, open: in use, standin-gcm-sm4, from 512 bytes on, 0 calls"
	if got := useOf(p, "gcm(sm4)", 16, 1).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if w := drivers.Warnings(); !slices.Contains(w, "linux: "+want) || slices.ContainsFunc(w, func(s string) bool { return strings.Contains(s, "planned") }) {
		t.Errorf("warnings: %q", w)
	}
	s.env.Engines = nil
	p = enable(t, s, Engine)
	if u := useOf(p, "sm3", 0, 0); u.State != Untried || !strings.Contains(u.Why, "no driver of an engine") {
		t.Errorf("%+v", u)
	}
}

// The first request starts the preparations and does not wait for them.
func TestFirstRequest(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	list := jobs(t)
	if s.opens.Load() != 0 {
		t.Error("something is open before the first request")
	}
	for _, j := range list {
		j.run(t)
	}
	for _, j := range list {
		j.engine(p).wait(t, ready)
	}
	small := p.engines["cbc(sm4)"][16]
	SumSM3(make([]byte, offload.Floor-1))
	if small.state.Load() != untried {
		t.Error("prepared without need")
	}
}
