/** What one tab tells the others of this browser: they share the session cookie. */
export type SessionNews = 'signed-in' | 'signed-in-by-provider' | 'signed-out' | 'switched';

const channel = new BroadcastChannel('weft-session');

export function tellTabs(news: SessionNews): void {
  channel.postMessage(news);
}

export function hearTabs(hear: (news: SessionNews) => void): () => void {
  const listen = (event: MessageEvent<SessionNews>): void => hear(event.data);
  channel.addEventListener('message', listen);
  return () => channel.removeEventListener('message', listen);
}
