/** A message between the tabs of one browser, which share the session's cookie. */
export type TabNews = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('herald')

/** Sends a message to the other tabs. */
export const tellTabs = (news: TabNews): void => channel.postMessage(news)

/** Calls `hear` with each message of another tab, until the returned function is called. */
export function hearTabs(hear: (news: TabNews) => void): () => void {
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (data === 'signed-in' || data === 'signed-out') hear(data)
  }
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}
