import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type InboxSearch = {
  deviceId?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateInboxSearch = (raw: Record<string, unknown>): InboxSearch => tidy({ deviceId: textIn(raw, 'deviceId') })
