/** What tabs of one browser tell each other: they share the session's cookie. */
export type TabNews = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('herald')

/** Tells the other tabs. */
export const tellTabs = (news: TabNews): void => channel.postMessage(news)

/** Hears what other tabs tell. Answers how to stop. */
export function hearTabs(hear: (news: TabNews) => void): () => void {
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (data === 'signed-in' || data === 'signed-out') hear(data)
  }
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}
