import { linkOptions } from '@tanstack/react-router'
import { TextLink } from '../../ui/TextLink.tsx'

type SubjectPartProps = { appId: string; action: string; part: { name: string; text: string } }

/** Shows a detail of an audit entry. The id of an object that has a page is a link, unless the action has deleted the object. */
export function SubjectPart({ appId, action, part: { name, text } }: SubjectPartProps) {
  const kind = name === 'id' ? action.slice(0, action.indexOf('.')) : name.replace(/Id$/, '')
  const isGone = action.endsWith('.deleted') || action.endsWith('.erased') || action.endsWith('.revoked')
  const link = /^[0-9a-f]{24}$/.test(text) && !isGone ? pages[kind as keyof typeof pages]?.(appId, text) : undefined
  return (
    <div className="flex min-w-0 gap-1">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-all">{link === undefined ? text : <TextLink {...link}>{text}</TextLink>}</dd>
    </div>
  )
}

/** The page of each kind of object. */
const pages = {
  segment: (appId: string, segmentId: string) => linkOptions({ to: '/apps/$appId/segments/$segmentId', params: { appId, segmentId } }),
  template: (appId: string, templateId: string) => linkOptions({ to: '/apps/$appId/templates/$templateId', params: { appId, templateId } }),
  campaign: (appId: string, campaignId: string) => linkOptions({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId } }),
  user: (appId: string, userId: string) => linkOptions({ to: '/apps/$appId/people/$userId', params: { appId, userId } }),
  webhook: (appId: string, webhookId: string) => linkOptions({ to: '/apps/$appId/webhooks/$webhookId', params: { appId, webhookId } }),
} as const
