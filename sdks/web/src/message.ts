/** A push as Herald sends it: the plaintext after decryption. */
export type Message = {
  title: string
  body: string
  url?: string
  image?: string
  icon?: string
  actions?: { id: string; title: string; url?: string }[]
  tag?: string
  data: Record<string, string> & { msgId: string }
}

/** What a push holds: one of ours, somebody else's, or nothing that can be read. */
export function readMessage(data: { json(): unknown } | null): Message | 'foreign' | undefined {
  try {
    const message = data?.json() as Partial<Message> | undefined
    if (typeof message !== 'object' || message === null) return undefined
    return typeof message.data?.msgId === 'string' ? (message as Message) : 'foreign'
  } catch {
    return undefined
  }
}

/** The user a msgId was made for: the third of its fields. */
export function userOf(msgId: string): string | undefined {
  try {
    return atob(msgId.split('.')[0]!.replace(/-/g, '+').replace(/_/g, '/')).split('|')[2]
  } catch {
    return undefined
  }
}
