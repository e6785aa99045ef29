//go:build !purego
package arm64
import ("testing";"crypto/aes";"crypto/cipher";"bytes";"math/rand")
func TestX(t *testing.T){
 for _,n:=range []int{16,24,32}{
  key:=make([]byte,n); rand.Read(key)
  b,_:=aes.NewCipher(key)
  var k Keys; ExpandCE(&k,key)
  for blocks:=1;blocks<40;blocks++{
   src:=make([]byte,16*blocks); rand.Read(src)
   want:=make([]byte,len(src)); got:=make([]byte,len(src))
   for i:=0;i<len(src);i+=16{b.Encrypt(want[i:],src[i:])}
   EncryptBlocksCE(&k,got,src)
   if !bytes.Equal(got,want){t.Fatal("enc",n,blocks)}
   DecryptBlocksCE(&k,got,want)
   if !bytes.Equal(got,src){t.Fatal("dec",n,blocks)}
   var iv,iv2 [16]byte; rand.Read(iv[:]); iv2=iv
   cipher.NewCBCEncrypter(b,iv[:]).CryptBlocks(want,src)
   CBCEncryptCE(&k,&iv2,got,src)
   if !bytes.Equal(got,want)||!bytes.Equal(iv2[:],want[len(want)-16:]){t.Fatal("cbc",n,blocks)}
   iv2=iv
   CBCDecryptCE(&k,&iv2,got,want)
   if !bytes.Equal(got,src)||!bytes.Equal(iv2[:],want[len(want)-16:]){t.Fatal("cbcd",n,blocks)}
   for i:=range 8 {iv[8+i]=0xff}; iv[15]=0xf0
   iv2=iv
   cut:=len(src)-rand.Intn(16)
   cipher.NewCTR(b,iv[:]).XORKeyStream(want[:cut],src[:cut])
   var rest [16]byte
   CTRCE(&k,&iv2,got[:cut],src[:cut],&rest)
   if !bytes.Equal(got[:cut],want[:cut]){t.Fatal("ctr",n,blocks)}
  }
 }
}
