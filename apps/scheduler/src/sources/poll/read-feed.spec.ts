import { describe, expect, it } from 'vitest';
import { FeedUnreadable, readFeed } from './read-feed.js';

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel><title>News</title><link>https://news.example/</link>
    <item><title>Second &amp; last</title><link>https://news.example/2</link><guid isPermaLink="false">n-2</guid>
      <pubDate>Tue, 03 Jun 2025 11:05:30 GMT</pubDate><dc:creator>Ada</dc:creator>
      <description><![CDATA[<p>short</p>]]></description><content:encoded><![CDATA[<p>long</p>]]></content:encoded>
      <category>a</category><category>b</category>
      <enclosure url="https://news.example/2.mp3" type="audio/mpeg" length="123"/></item>
    <item><title>First</title><link>https://news.example/1</link></item>
    <item><title>No link</title><pubDate>yesterday</pubDate></item>
  </channel></rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:feed</id>
  <entry><id>urn:2</id><title type="html">&lt;b&gt;Two&lt;/b&gt;</title><updated>2025-06-03T11:05:30+02:00</updated>
    <link rel="self" href="https://a.example/self"/><link href="https://a.example/2"/>
    <link rel="enclosure" href="https://a.example/2.zip" type="application/zip" length="lots"/>
    <author><name>Grace</name></author><category term="t" label="Label"/>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Hi <b>you</b></div></content></entry>
</feed>`;

const RDF = `<rdf:RDF xmlns:rdf="x"><channel rdf:about="c"><title>t</title></channel>
  <item rdf:about="https://r.example/1"><title>One</title><dc:date>2025-06-03</dc:date></item></rdf:RDF>`;

describe('a feed', () => {
  it('of RSS is its items, the oldest first', () => {
    const items = readFeed(RSS);
    expect(items.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^[\da-f]{64}$/),
      'https://news.example/1',
      'n-2',
    ]);
    expect(items[2]).toEqual({
      ...{ id: 'n-2', title: 'Second & last', link: 'https://news.example/2', author: 'Ada', updated: null },
      ...{ published: '2025-06-03T11:05:30.000Z', summary: '<p>short</p>', content: '<p>long</p>' },
      categories: ['a', 'b'],
      enclosures: [{ url: 'https://news.example/2.mp3', type: 'audio/mpeg', bytes: 123 }],
    });
    expect(items[0]?.published).toBeNull();
  });

  it('of Atom has the address for people and the text of its content', () => {
    expect(readFeed(ATOM)).toEqual([
      {
        ...{ id: 'urn:2', title: '<b>Two</b>', link: 'https://a.example/2', author: 'Grace', published: null },
        ...{ updated: '2025-06-03T09:05:30.000Z', summary: null, categories: ['Label'] },
        content: 'Hi you',
        enclosures: [{ url: 'https://a.example/2.zip', type: 'application/zip', bytes: null }],
      },
    ]);
  });

  it('of RSS 1.0 has its items after the channel', () => {
    expect(readFeed(RDF)).toMatchObject([{ id: 'https://r.example/1', published: '2025-06-03T00:00:00.000Z' }]);
  });

  it('without ids has the same ids at each reading', () => {
    expect(readFeed(RSS)[0]?.id).toBe(readFeed(RSS)[0]?.id);
  });

  it('reads no entity that the document declares', () => {
    const bomb = '<!DOCTYPE rss [<!ENTITY a "boom"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const items = readFeed(`${bomb}<rss><channel><item><guid>1</guid><title>&a;&f;</title></item></channel></rss>`);
    expect(items[0]?.title).toBe('&a;&f;');
  });

  it.each([
    ['is a page', '<html><body>Sign in</body></html>', 'no <rss>'],
    ['is nothing', '', 'no <rss>'],
    ['has a million levels', `<rss>${'<a>'.repeat(1_000_000)}`, 'levels'],
    ['has a million elements', `<rss>${'<a/>'.repeat(1_000_000)}</rss>`, 'elements'],
    ['has too many items', `<rss><channel>${'<item/>'.repeat(1_001)}</channel></rss>`, 'items'],
  ])('that %s is refused', (_what, xml, why) => {
    expect(() => readFeed(xml)).toThrow(FeedUnreadable);
    expect(() => readFeed(xml)).toThrow(why);
  });
});
