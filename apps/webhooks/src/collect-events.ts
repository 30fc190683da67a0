import type { Announcement } from '@herald/contracts/event'

/** Tells the owner of an announcement that it is taken over: its row may go. */
export type Confirm = (announcementId: string) => Promise<unknown>

/**
 * Takes over an announcement. There are no endpoints yet, so nothing is kept of it; the owner hears that it is done. The
 * message is acked only then: an owner that is away hears it at a later delivery, and confirming twice is harmless.
 */
export async function collectEvents(
  confirm: Record<Announcement['owner'], Confirm>,
  { owner, announcementId }: Announcement,
): Promise<void> {
  await confirm[owner](announcementId)
}
