//go:build !purego
package arm64
import ("testing";"math/rand";"encoding/binary")
func mul(x,y [16]byte)[16]byte{
 xh,xl:=binary.BigEndian.Uint64(x[:]),binary.BigEndian.Uint64(x[8:])
 vh,vl:=binary.BigEndian.Uint64(y[:]),binary.BigEndian.Uint64(y[8:])
 var zh,zl uint64
 for i:=0;i<128;i++{
  var bit uint64
  if i<64{bit=xh>>(63-i)&1}else{bit=xl>>(127-i)&1}
  zh^=vh&-bit; zl^=vl&-bit
  c:=vl&1
  vl=vl>>1|vh<<63; vh>>=1
  vh^=0xe1<<56&-c
 }
 var z [16]byte
 binary.BigEndian.PutUint64(z[:],zh);binary.BigEndian.PutUint64(z[8:],zl)
 return z
}
func TestX(t *testing.T){
 for n:=1;n<600;n++{
  var h,y [16]byte; rand.Read(h[:]);rand.Read(y[:])
  p:=make([]byte,n); rand.Read(p)
  var pw Powers; InitPMULL(&pw,&h)
  want:=y
  for i:=0;i<n;i+=16{ var b [16]byte; copy(b[:],p[i:]); for j:=range b{want[j]^=b[j]}; want=mul(want,h)}
  UpdatePMULL(&pw,&y,p)
  if want!=y{t.Fatal(n)}
 }
}
