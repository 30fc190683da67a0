import { TextLink } from '../../ui/TextLink.tsx'

type SubjectPartProps = { appId: string; action: string; part: { name: string; text: string } }

/** Shows a detail of an audit entry. The id of an object is a link, unless the action has deleted the object. */
export function SubjectPart({ appId, action, part: { name, text } }: SubjectPartProps) {
  return (
    <div className="flex gap-1">
      <dt className="text-muted">{name}</dt>
      <dd className="break-all">
        <Linked appId={appId} action={action} name={name} text={text} />
      </dd>
    </div>
  )
}

function Linked({ appId, action, name, text }: { appId: string; action: string; name: string; text: string }) {
  const isGone = action.endsWith('.deleted') || action.endsWith('.erased') || action.endsWith('.revoked')
  if (!/^[0-9a-f]{24}$/.test(text) || isGone) return <>{text}</>
  const kind = name === 'id' ? action.slice(0, action.indexOf('.')) : name.replace(/Id$/, '')
  switch (kind) {
    case 'segment':
      return (
        <TextLink to="/apps/$appId/segments/$segmentId" params={{ appId, segmentId: text }}>
          {text}
        </TextLink>
      )
    case 'template':
      return (
        <TextLink to="/apps/$appId/templates/$templateId" params={{ appId, templateId: text }}>
          {text}
        </TextLink>
      )
    case 'campaign':
      return (
        <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: text }}>
          {text}
        </TextLink>
      )
    case 'user':
      return (
        <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId: text }}>
          {text}
        </TextLink>
      )
    case 'webhook':
      return (
        <TextLink to="/apps/$appId/webhooks/$webhookId" params={{ appId, webhookId: text }}>
          {text}
        </TextLink>
      )
    default:
      return <>{text}</>
  }
}
