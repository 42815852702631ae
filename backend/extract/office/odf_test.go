package office

import (
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/archive"
	"ibid/backend/extract/extracttest"
)

func TestODT(t *testing.T) {
	styles := `<style:style style:name="Hid"><style:text-properties text:display="none"/></style:style>` +
		`<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>`
	body := `<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>` +
		`<text:h text:outline-level="1">Engines</text:h>` +
		`<text:table-of-content><text:index-body><text:p>Engines 1</text:p></text:index-body></text:table-of-content>` +
		`<text:p>Seen<text:s text:c="3"/>and <text:span text:style-name="Hid">hidden</text:span><text:span>spanned</text:span><text:tab/>tabbed<text:line-break/>broken` +
		`<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A footnote.</text:p></text:note-body></text:note>` +
		`<office:annotation><dc:creator>Bob</dc:creator><dc:date>2024</dc:date><text:p>Is it?</text:p></office:annotation>.</text:p>` +
		`<text:p><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>Around the box</text:p>` +
		`<text:p text:style-name="Hid">All hidden</text:p><text:p><text:hidden-text text:string-value="secret"/></text:p>` +
		`<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:p>still one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>` +
		`<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Power</text:p></table:table-cell></table:table-row></table:table-header-rows>` +
		`<table:table-row><table:table-cell><text:p>Analytical</text:p></table:table-cell><table:table-cell><text:p>great</text:p><text:p>indeed</text:p></table:table-cell></table:table-row></table:table>` +
		`<text:section><text:p>In a section</text:p></text:section></office:text>`
	data := odfOf(t, extract.TypeODT, styles, body)
	extracttest.Golden(t, "odt", extracttest.Extract(t, Routes(), "a.odt", data))
}

func TestODS(t *testing.T) {
	cell := func(kind, text string) string {
		return `<table:table-cell office:value-type="` + kind + `"><text:p>` + text + `</text:p></table:table-cell>`
	}
	styles := `<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>`
	body := `<office:spreadsheet><table:table table:name="Costs">` +
		`<table:table-row>` + cell("string", "Item") + cell("string", "Cost") + `<table:table-cell table:number-columns-repeated="16382"/></table:table-row>` +
		`<table:table-row table:number-rows-repeated="2">` + cell("string", "Bolt") + cell("float", "1.50") + `</table:table-row>` +
		`<table:table-row table:number-rows-repeated="1048500"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>` +
		`<table:table-row>` + cell("string", "far") + cell("float", "2") + `</table:table-row></table:table>` +
		`<table:table table:name="Secret" table:style-name="ta2"><table:table-row>` + cell("string", "obey") + `</table:table-row></table:table></office:spreadsheet>`
	data := odfOf(t, extract.TypeODS, styles, body)
	extracttest.Golden(t, "ods", extracttest.Extract(t, Routes(), "a.ods", data))
}

func TestODP(t *testing.T) {
	body := `<office:presentation><draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Welcome</text:p></draw:text-box></draw:frame>` +
		`<draw:frame><draw:text-box><text:p>Said on the slide</text:p></draw:text-box></draw:frame>` +
		`<presentation:notes><draw:frame><draw:text-box><text:p>Said aloud</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>` +
		`<draw:page draw:name="p2"><draw:frame><draw:text-box><text:p>Second slide</text:p></draw:text-box></draw:frame></draw:page></office:presentation>`
	data := odfOf(t, extract.TypeODP, "", body)
	extracttest.Golden(t, "odp", extracttest.Extract(t, Routes(), "a.odp", data))
}

func TestODFEncrypted(t *testing.T) {
	data := odfOf(t, extract.TypeODT, "", "", extracttest.Part{
		Name: "META-INF/manifest.xml",
		Data: `<m:manifest xmlns:m="m"><m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>`,
	})
	_, err := odf{}.Extract(t.Context(), extract.Input{Data: data})
	if !errors.Is(err, archive.ErrPassword) || !errors.Is(err, corpus.ErrUnsupported) || !strings.Contains(err.Error(), "password needed") {
		t.Errorf("%v", err)
	}
}
