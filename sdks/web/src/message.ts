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

/** What a push event holds: a push of Herald, a push of another sender, or nothing that can be read. */
export function readMessage(data: { json(): unknown } | null | undefined): Message | 'foreign' | undefined {
  try {
    const message = data!.json() as Message
    return message.data?.msgId ? message : 'foreign'
  } catch {
    return undefined
  }
}

/** The user that a msgId was made for: its third field. */
export function userOf(msgId: string): string | undefined {
  try {
    return atob(msgId.split('.')[0]!.replaceAll('-', '+').replaceAll('_', '/')).split('|')[2]
  } catch {
    return undefined
  }
}
