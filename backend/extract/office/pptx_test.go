package office

import (
	"strings"
	"testing"

	"ibid/backend/extract/extracttest"
)

// sp is a shape: a placeholder of this role ("" for none) with paragraphs.
func sp(role string, paragraphs ...string) string {
	ph := ""
	if role != "" {
		ph = `<p:ph type="` + role + `"/>`
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="n"/><p:nvPr>` + ph + `</p:nvPr></p:nvSpPr><p:txBody>` + strings.Join(paragraphs, "") + `</p:txBody></p:sp>`
}

func ap(props, text string) string {
	return `<a:p>` + props + `<a:r><a:rPr b="1"/><a:t>` + text + `</a:t></a:r></a:p>`
}

func TestPPTX(t *testing.T) {
	first := sp("", ap("", "Beside the title")) +
		sp("ctrTitle", ap("", "Duck"), ap("", "survey")) +
		sp("body", ap("", "First"), ap(`<a:pPr lvl="1"/>`, "Deeper"), ap(`<a:pPr><a:buNone/></a:pPr>`, "No bullet")) +
		sp("body", ap("", "A body of one paragraph")) +
		sp("", ap(`<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`, "one"), ap(`<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`, "two")) +
		sp("dt", ap("", "12 May")) +
		sp("sldNum", `<a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p>`) +
		`<p:sp><p:nvSpPr><p:cNvPr id="9" name="n" hidden="1"/><p:nvPr/></p:nvSpPr><p:txBody>` + ap("", "unseen") + `</p:txBody></p:sp>` +
		`<p:grpSp><p:nvGrpSpPr/>` + sp("", ap("", "In a group")) + `</p:grpSp>` +
		`<p:graphicFrame><a:graphic><a:graphicData><a:tbl>` +
		`<a:tr><a:tc gridSpan="2"><a:txBody>` + ap("", "Species") + `</a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:p/></a:txBody></a:tc></a:tr>` +
		`<a:tr><a:tc rowSpan="2"><a:txBody>` + ap("", "Mallard") + `</a:txBody></a:tc><a:tc><a:txBody>` + ap("", "12") + `</a:txBody></a:tc></a:tr>` +
		`<a:tr><a:tc vMerge="1"><a:txBody><a:p/></a:txBody></a:tc><a:tc><a:txBody>` + ap("", "13") + `</a:txBody></a:tc></a:tr>` +
		`</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	second := `<p:graphicFrame><a:graphic><a:graphicData><c:chart xmlns:c="c" r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>` +
		`<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`
	data := pptxOf(t, []string{first, second, sp("title", ap("", "Third"))},
		rels("ppt/slides/_rels/slide1.xml.rels", "notesSlide", "../notesSlides/n1.xml", "comments", "../comments/c1.xml", "comments", "../comments/c2.xml"),
		extracttest.Part{Name: "ppt/notesSlides/n1.xml", Data: header + `<p:notes ` + slidesNS + `><p:cSld><p:spTree>` + sp("sldImg") + sp("body", ap("", "Say hello."), ap("", "Then begin.")) + sp("sldNum", ap("", "1")) + `</p:spTree></p:cSld></p:notes>`},
		extracttest.Part{Name: "ppt/comments/c1.xml", Data: header + `<p:cmLst ` + slidesNS + `><p:cm><p:text>Old kind</p:text></p:cm></p:cmLst>`},
		extracttest.Part{Name: "ppt/comments/c2.xml", Data: header + `<p188:cmLst xmlns:p188="x" ` + slidesNS + `><p188:cm><p188:txBody>` + ap("", "New kind") + `</p188:txBody><p188:replyLst><p188:reply><p188:txBody>` + ap("", "Its answer") + `</p188:txBody></p188:reply></p188:replyLst></p188:cm></p188:cmLst>`},
		rels("ppt/slides/_rels/slide2.xml.rels", "chart", "../charts/chart1.xml", "diagramData", "../diagrams/data1.xml"),
		extracttest.Part{Name: "ppt/charts/chart1.xml", Data: header + `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich>` + ap("", "Ducks by year") + `</c:rich></c:tx></c:title><c:plotArea><c:barChart>` +
			`<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Wild</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:numRef><c:numCache><c:pt idx="0"><c:v>2019</c:v></c:pt><c:pt idx="1"><c:v>2020</c:v></c:pt></c:numCache></c:numRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>80</c:v></c:pt><c:pt idx="1"><c:v>95</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>` +
			`</c:barChart></c:plotArea></c:chart></c:chartSpace>`},
		extracttest.Part{Name: "ppt/diagrams/data1.xml", Data: header + `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt><dgm:t>` + ap("", "Plan") + `</dgm:t></dgm:pt><dgm:pt><dgm:t>` + ap("", "Apply") + `</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`},
	)
	extracttest.Golden(t, "pptx", extracttest.Extract(t, Routes(), "ducks.pptx", data))
}

func TestPPTXHiddenSlide(t *testing.T) {
	data := pptxOf(t, []string{sp("title", ap("", "Shown")), sp("title", ap("", "Backup"))})
	hidden := strings.Replace(string(partOf(t, data, "ppt/slides/slide2.xml")), "<p:sld ", `<p:sld show="0" `, 1)
	data = withPart(t, data, "ppt/slides/slide2.xml", hidden)
	doc := extracttest.Extract(t, Routes(), "a.pptx", data)
	if doc.Text != "Shown" || doc.Report.Hidden != len("Backup") || len(doc.Report.Notes) != 1 {
		t.Errorf("%q, %+v", doc.Text, doc.Report)
	}
}
