import type { components } from './schema.gen.ts'

/** Gives the type of a schema of the API's OpenAPI document by its name. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type Content = Schema<'Content'>
export type Target = Schema<'Target'>
export type Notification = Schema<'SendNotificationBody'>
export type CampaignDraft = Schema<'CreateCampaignBody'>
export type CampaignRecall = Schema<'RecallCampaignBody'>
export type CampaignStats = Schema<'CampaignStats'>
export type CampaignStatus = CampaignStats['status']
export type Explained = Schema<'ExplainCampaignAnswer'>
export type Breakdown = Schema<'ReadCampaignBreakdownAnswer'>
export type Segment = Schema<'Segment'>
export type SavedSegment = Schema<'SavedSegment'>
export type Template = Schema<'Template'>
export type User = Schema<'User'>
export type UserChanges = Schema<'UserChanges'>
export type Subscription = Schema<'Subscription'>
export type DryRun = Schema<'DryRunNotificationAnswer'>

/** An event of a webhook delivery; `event.type` says of which kind. A newer Herald may send kinds that are not listed here: ignore them. */
export type WebhookEvent = Schema<'WebhookEvent'>
