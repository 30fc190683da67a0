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

/** Reads a push event; gives undefined for one without data, one that cannot be read and any other that is not Herald's. */
export function readMessage(data: { json(): unknown } | null | undefined): Message | undefined {
  try {
    const message = data!.json() as Message
    return message.data.msgId ? message : undefined
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
