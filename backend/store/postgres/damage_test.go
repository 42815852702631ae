package postgres_test

import (
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/storetest"
)

// damages are changes of the database behind the library's back; $1 is the tenant.
func damages(d *pgtest.Database) (list []storetest.Damage) {
	for _, x := range []struct {
		name  string
		finds store.Damage
		sql   string
		costs bool
	}{
		{"RecordLost", store.RecordMissing, "DELETE FROM kb_embeddings_documents WHERE tenant_id = $1 AND path = 'b'", false},
		{"LedgerLost", store.RecordMissing, "DELETE FROM kb_embeddings_documents WHERE tenant_id = $1", false},
		{"SourceLost", store.SourceMissing, "DELETE FROM kb_embeddings_sources WHERE tenant_id = $1", false},
		{"MadeLost", store.PassagesMissing, "DELETE FROM kb_embeddings_made m USING kb_embeddings_documents d WHERE m.tenant_id = $1 AND d.tenant_id = $1 AND d.id = m.document AND d.path = 'a'", false},
		{"TextLost", store.TextMissing, "DELETE FROM kb_embeddings_texts WHERE tenant_id = $1", false},
		{"TextStray", store.StrayRows, "INSERT INTO kb_embeddings_texts (tenant_id, document, revision, text) SELECT tenant_id, id, 99, 'stray' FROM kb_embeddings_documents WHERE tenant_id = $1", false},
		{"PassageLost", store.PassagesMissing, "DELETE FROM kb_embeddings WHERE tenant_id = $1 AND content = 'word two'", true},
		{"PassagesLost", store.PassagesMissing, "DELETE FROM kb_embeddings WHERE tenant_id = $1", true},
		{"FingerprintDamaged", store.RecordDamaged, "UPDATE kb_embeddings_documents SET fingerprint = '5' WHERE tenant_id = $1", false},
		{"ReportDamaged", store.RecordDamaged, "UPDATE kb_embeddings_documents SET report = '5' WHERE tenant_id = $1", false},
		{"MetadataDamaged", store.RecordDamaged, "UPDATE kb_embeddings_documents SET metadata = '[1]' WHERE tenant_id = $1", false},
		{"PassageRecordsDamaged", store.PassageAltered, "UPDATE kb_embeddings SET metadata = '[1]' WHERE tenant_id = $1", true},
		{"PassageAltered", store.PassageAltered, "UPDATE kb_embeddings SET content = 'two words' WHERE tenant_id = $1 AND content = 'word two'", false},
		{"PassagesOutOfOrder", store.PassagesMissing, "UPDATE kb_embeddings SET chunk_index = chunk_index + 1 WHERE tenant_id = $1", false},
		{"TermsAltered", store.TermsWrong, `UPDATE kb_embeddings SET terms = '\x00' WHERE tenant_id = $1`, false},
		{"LengthAltered", store.TermsWrong, "UPDATE kb_embeddings SET length = length + 1 WHERE tenant_id = $1", false},
		{"LexemesLost", store.TermsWrong, "DELETE FROM kb_embeddings_lexemes WHERE tenant_id = $1", false},
		{"LexemesAltered", store.TermsWrong, "UPDATE kb_embeddings_lexemes SET lexemes = strip(lexemes) WHERE tenant_id = $1", false},
		{"LexemesTwice", store.TermsWrong, "INSERT INTO kb_embeddings_lexemes SELECT * FROM kb_embeddings_lexemes WHERE tenant_id = $1", false},
		{"LexemesStray", store.IndexStray, "INSERT INTO kb_embeddings_lexemes (tenant_id, generation, id, document, lexemes) SELECT tenant_id, generation, gen_random_uuid(), document, lexemes FROM kb_embeddings_lexemes WHERE tenant_id = $1", false},
		{"FrequenciesLost", store.StatisticsWrong, "DELETE FROM kb_embeddings_frequencies WHERE tenant_id = $1", false},
		{"FrequenciesAltered", store.StatisticsWrong, "UPDATE kb_embeddings_frequencies SET n = n + 1 WHERE tenant_id = $1", false},
		{"VectorsLost", store.VectorMissing, "UPDATE kb_embeddings SET embedding = NULL WHERE tenant_id = $1", true},
		{"EmbeddedDenied", store.StatisticsWrong, "UPDATE kb_embeddings SET embedding = NULL, dimensions = NULL WHERE tenant_id = $1 AND content = 'word one'", true},
		{"DimensionsAltered", store.VectorMissing, "UPDATE kb_embeddings SET dimensions = dimensions + 1 WHERE tenant_id = $1", false},
		{"TalliesAltered", store.StatisticsWrong, "UPDATE kb_embeddings_tallies SET documents = documents + 1, chunks = 0 WHERE tenant_id = $1", false},
		{"TalliesLost", store.StatisticsWrong, "DELETE FROM kb_embeddings_tallies WHERE tenant_id = $1", false},
		{"StatisticsAltered", store.StatisticsWrong, "UPDATE kb_embeddings_generations SET chunks = 99, length = 7 WHERE tenant_id = $1", false},
		{"IndexedMiscounted", store.StatisticsWrong, "UPDATE kb_embeddings_generations SET indexed = indexed + 1 WHERE tenant_id = $1", false},
		{"EmbeddedMiscounted", store.StatisticsWrong, "UPDATE kb_embeddings_made SET embedded = 0 WHERE tenant_id = $1", false},
	} {
		list = append(list, storetest.Damage{Name: x.name, Finds: x.finds, Costs: x.costs, Do: func(t *testing.T, tenant corpus.ID) {
			t.Helper()
			d.Exec(t, x.sql, tenant.String())
		}})
	}
	return list
}
