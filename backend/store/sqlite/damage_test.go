package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

// damages are changes of the file behind the library's back; ?1 is the tenant.
func damages(path string) (list []storetest.Damage) {
	for _, d := range []struct {
		name  string
		finds store.Damage
		sql   string
		costs bool
	}{
		{"RecordLost", store.RecordMissing, "DELETE FROM documents WHERE tenant = ?1 AND path = 'b'", false},
		{"LedgerLost", store.RecordMissing, "DELETE FROM documents WHERE tenant = ?1", false},
		{"SourceLost", store.SourceMissing, "DELETE FROM sources WHERE tenant = ?1", false},
		{"MadeLost", store.PassagesMissing, "DELETE FROM made WHERE tenant = ?1 AND document = (SELECT num FROM documents WHERE tenant = ?1 AND path = 'a')", false},
		{"TextLost", store.TextMissing, "DELETE FROM texts WHERE tenant = ?1", false},
		{"TextStray", store.StrayRows, "INSERT INTO texts (tenant, document, revision, text) SELECT tenant, num, 99, 'stray' FROM documents WHERE tenant = ?1", false},
		{"FieldsLost", store.FieldsWrong, "DELETE FROM fields WHERE tenant = ?1", false},
		{"FieldsAltered", store.FieldsWrong, "UPDATE fields SET value = 'Charles' WHERE tenant = ?1 AND key = 'author'", false},
		{"PassageLost", store.PassagesMissing, "DELETE FROM chunks WHERE tenant = ?1 AND content = 'word two'", false},
		{"PassagesLost", store.PassagesMissing, "DELETE FROM chunks WHERE tenant = ?1", false},
		{"FingerprintDamaged", store.RecordDamaged, "UPDATE documents SET fingerprint = '{\"size\": x' WHERE tenant = ?1", false},
		{"ReportDamaged", store.RecordDamaged, "UPDATE documents SET report = '' WHERE tenant = ?1", false},
		{"MetadataDamaged", store.RecordDamaged, "UPDATE documents SET metadata = '[1]' WHERE tenant = ?1", false},
		{"PassageRecordsDamaged", store.PassageAltered, "UPDATE chunks SET record = substr(record, 2) WHERE tenant = ?1", false},
		{"PassageAltered", store.PassageAltered, "UPDATE chunks SET content = 'two words' WHERE tenant = ?1 AND content = 'word two'", false},
		{"PassagesOutOfOrder", store.PassagesMissing, "UPDATE chunks SET position = position + 1 WHERE tenant = ?1", false},
		{"TermsAltered", store.TermsWrong, "UPDATE chunks SET terms = x'00' WHERE tenant = ?1", false},
		{"LengthAltered", store.TermsWrong, "UPDATE chunks SET length = length + 1 WHERE tenant = ?1", false},
		{"PostingsLost", store.TermsWrong, "DELETE FROM blocks WHERE tenant = ?1", false},
		{"PostingsDamaged", store.TermsWrong, "UPDATE blocks SET data = x'01020304' WHERE tenant = ?1", false},
		{"PostingsExchanged", store.TermsWrong, `UPDATE blocks SET data = (SELECT b.data FROM blocks b WHERE b.tenant = ?1 ORDER BY b.num LIMIT 1)
			WHERE num = (SELECT max(num) FROM blocks WHERE tenant = ?1)`, false},
		{"SegmentLost", store.TermsWrong, "DELETE FROM segments WHERE tenant = ?1 AND num = (SELECT max(num) FROM segments WHERE tenant = ?1)", false},
		{"SegmentsLost", store.TermsWrong, "DELETE FROM segments WHERE tenant = ?1", false},
		{"SegmentMiscounts", store.StatisticsWrong, "UPDATE segments SET chunks = chunks + 1 WHERE tenant = ?1", false},
		{"DeadRisen", store.IndexStray, "UPDATE segments SET dead = 0, dead_set = NULL WHERE tenant = ?1", false},
		{"LivingBuried", store.TermsWrong, "UPDATE segments SET dead = 1, dead_set = x'01' WHERE tenant = ?1", false},
		{"SegmentsOverlap", store.IndexStray, "UPDATE segments SET first = 1, last = 1000000 WHERE tenant = ?1", false},
		{"VectorsLost", store.VectorMissing, "DELETE FROM vectors WHERE tenant = ?1", true},
		{"VectorsShort", store.VectorMissing, "UPDATE vectors SET vector = x'0000803F' WHERE tenant = ?1", true},
		{"EmbeddedDenied", store.VectorMissing, "UPDATE chunks SET embedded = NULL WHERE tenant = ?1", false},
		{"UsesMiscounted", store.StatisticsWrong, "UPDATE vectors SET uses = uses + 1 WHERE tenant = ?1", false},
		{"CodesLost", store.VectorIndexWrong, "DELETE FROM codes WHERE tenant = ?1", false},
		{"CodeBlocksLost", store.VectorIndexWrong, "DELETE FROM code_blocks WHERE tenant = ?1", false},
		{"CodesAltered", store.VectorIndexWrong, "UPDATE code_blocks SET data = CAST(substr(data, 1, length(data) - 1) || x'7F' AS BLOB) WHERE tenant = ?1", false},
		{"TalliesAltered", store.StatisticsWrong, "UPDATE tallies SET documents = documents + 1, chunks = 0 WHERE tenant = ?1", false},
		{"TalliesLost", store.StatisticsWrong, "DELETE FROM tallies WHERE tenant = ?1", false},
		{"StatisticsAltered", store.StatisticsWrong, "UPDATE generations SET chunks = 99, length = 7 WHERE tenant = ?1", false},
		{"EmbeddedMiscounted", store.StatisticsWrong, "UPDATE made SET embedded = 0 WHERE tenant = ?1", false},
	} {
		list = append(list, storetest.Damage{Name: d.name, Finds: d.finds, Costs: d.costs, Do: func(t *testing.T, tenant corpus.ID) {
			t.Helper()
			db, err := sql.Open("sqlite", path) // without foreign keys
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			r, err := db.ExecContext(t.Context(), d.sql, tenant[:])
			if err != nil {
				t.Fatal(err)
			}
			if n, err := r.RowsAffected(); err != nil || n == 0 {
				t.Fatalf("%d rows are damaged (%v)", n, err)
			}
		}})
	}
	return list
}

// TestMetadataFromFields: labels that cannot be read are what filters have.
func TestMetadataFromFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := corpus.Metadata{"author": "Ada", "year": 1843.5, "month": 7.0, "draft": true, "tags": []string{"a", "b", "c"}}
	source := corpus.Source{ID: corpus.NewID(), Name: "s", Kind: corpus.SourceInline, Root: "inline:s"}
	d := corpus.Document{ID: corpus.NewID(), Source: source.ID, Path: "d", State: corpus.DocumentFailed, Metadata: want}
	w, err := db.Acquire(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.PutSource(t.Context(), source), w.Record(t.Context(), d), w.Release()); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "UPDATE documents SET metadata = '{'"); err != nil {
		t.Fatal(err)
	}
	var got corpus.Document
	if err := db.View(t.Context(), func(r store.Reader) (err error) {
		got, err = r.Document(t.Context(), d.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Metadata); diff != "" || !got.Damaged {
		t.Errorf("damaged %t, metadata (-want +got):\n%s", got.Damaged, diff)
	}
}
