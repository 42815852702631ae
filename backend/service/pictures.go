package service

import (
	"container/list"
	"fmt"
	"sync"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// pictureKey names a picture: by the document's bytes, so that it can never be
// that of another version. Width 0 is the page's measures alone.
type pictureKey struct {
	content     corpus.Hash
	page, width int
}

func (k pictureKey) String() string { return fmt.Sprintf("%s-%d-%d", k.content, k.page, k.width) }

// maxPictures bounds the pictures that are kept, in bytes.
const maxPictures = 64 << 20

// pictures keeps what was shown last. The zero value is ready.
type pictures struct {
	mu    sync.Mutex
	order list.List // of keptPicture, the last used first
	at    map[pictureKey]*list.Element
	size  int
}

type keptPicture struct {
	key     pictureKey
	picture *extract.Picture
}

func (k keptPicture) size() int { return len(k.picture.PNG) + 500 }

func (p *pictures) get(key pictureKey) *extract.Picture {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.at[key]
	if e == nil {
		return nil
	}
	p.order.MoveToFront(e)
	return e.Value.(keptPicture).picture
}

func (p *pictures) put(key pictureKey, picture *extract.Picture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = map[pictureKey]*list.Element{}
	}
	if p.at[key] != nil {
		return
	}
	k := keptPicture{key, picture}
	p.at[key] = p.order.PushFront(k)
	p.size += k.size()
	for p.size > maxPictures && p.order.Len() > 1 {
		last := p.order.Remove(p.order.Back()).(keptPicture)
		delete(p.at, last.key)
		p.size -= last.size()
	}
}
