package wordpiece
import ("testing";"os";"bufio";"fmt";"strings";"strconv";"unicode")
func TestSweep(t *testing.T){
 b,_:=os.ReadFile("/work/main/data/models/minilm/tokenizer.json")
 tk,err:=Parse(b); if err!=nil{t.Fatal(err)}
 f,_:=os.Open("/tmp/emb/sweep.txt"); sc:=bufio.NewScanner(f)
 n:=0; cat:=map[string]int{}
 for sc.Scan(){ l:=sc.Text(); h,rest,_:=strings.Cut(l," "); c,_:=strconv.ParseInt(h,16,32)
  s:=string(rune(c))
  got:=strings.Trim(fmt.Sprint(tk.Encode("a"+s+"b1 "+s+"z")),"[]")
  if got!=rest{ n++
    k:="Cn"; for name,tab:=range unicode.Categories{ if len(name)==2&&name!="LC"&&unicode.Is(tab,rune(c)){k=name}}
    cat[k]++
    if cat[k]<6 {t.Logf("%x %s: got %s want %s",c,k,got,rest)}
  }}
 t.Log(n,cat)
}
