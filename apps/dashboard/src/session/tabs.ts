/** What the tabs of one browser tell each other, because they share the session's cookie. */
export type TabNews = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('herald')

/** Tells the other tabs. */
export const tellTabs = (news: TabNews): void => channel.postMessage(news)

/** Calls `hear` with what other tabs tell. Gives the function that ends it. */
export function hearTabs(hear: (news: TabNews) => void): () => void {
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (data === 'signed-in' || data === 'signed-out') hear(data)
  }
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}
