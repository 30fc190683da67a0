/**
 * The content of a push of Herald, after the browser has decrypted it. It may have more options of `showNotification`, which the send's
 * `overrides.web` has added.
 */
export type Message = {
  title: string
  body: string
  url?: string
  image?: string
  icon?: string
  actions?: { id: string; title: string; url?: string }[]
  tag?: string
  /** True when the notification makes no sound. */
  silent?: boolean
  /** The number on the icon of the installed site; 0 removes it. */
  appBadge?: number
  data: Record<string, string> & { msgId: string }
}

/** Reads a push event: gives the message of a push of Herald, `'foreign'` for another sender's push, undefined when the push cannot be read. */
export function readMessage(data: { json(): unknown } | null | undefined): Message | 'foreign' | undefined {
  try {
    const message = data!.json() as Message
    return message.data?.msgId ? message : 'foreign'
  } catch {
    return undefined
  }
}

/** Gives the id of the user whom a push was made for, which is the third field of its msgId; undefined when the msgId cannot be decoded. */
export function userOf(msgId: string): string | undefined {
  try {
    return atob(msgId.split('.')[0]!.replaceAll('-', '+').replaceAll('_', '/')).split('|')[2]
  } catch {
    return undefined
  }
}
