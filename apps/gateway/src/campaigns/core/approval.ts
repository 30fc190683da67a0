/** Who asked to send a campaign, when, and to how many devices it would have gone then. `seen`: a hash of the draft and its target as they were. */
export type Approval = {
  campaignId: string
  askedBy: string
  sessionId: string | null
  adminKeyId: string | null
  devices: number
  seen: string
  at: string
}

/** Who makes a request of the administration. `sessionId` and `adminKeyId`: with which session and which key, null without one. */
export type Who = { name: string; sessionId: string | null; adminKeyId: string | null }

/** What the administration shows of a campaign that somebody asked to send. */
export type ShownApproval = { askedBy: string; at: string; devices: number; byYou: boolean }

/**
 * Whether this is who asked: the same session, the same administration key (also in another session), or the same name, since a person can sign in
 * twice.
 */
export const isAsker = ({ askedBy, sessionId, adminKeyId }: Approval, who: Who): boolean =>
  (sessionId !== null && sessionId === who.sessionId) || (adminKeyId !== null && adminKeyId === who.adminKeyId) || askedBy === who.name

/** Says why somebody cannot confirm what was asked; undefined when they can (spec: administration/approval-second). */
export function whyNotConfirm(approval: Approval, who: Who): string | undefined {
  if (isAsker(approval, who)) return 'You requested this approval, so somebody else must approve it.'
  if (who.sessionId === null && who.adminKeyId === null)
    return 'Sign in to the dashboard under your name to approve, or use an administration key: the administration token alone does not say who you are.'
  return undefined
}

export const shownApproval = (approval: Approval, who: Who): ShownApproval => ({
  askedBy: approval.askedBy,
  at: approval.at,
  devices: approval.devices,
  byYou: isAsker(approval, who),
})
