import type { FaultDetail } from '@herald/contracts/fault'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { byPath } from '../../core/check-draft.ts'
import { Card } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { OptionsEditor } from '../../ui/content/OptionsEditor.tsx'
import { AudienceAsk } from './AudienceAsk.tsx'
import { BypassAsk } from './BypassAsk.tsx'
import { ExperimentAsk } from './ExperimentAsk.tsx'
import { MessageAsk, useTemplate } from './MessageAsk.tsx'
import type { Screen } from './useScreen.ts'
import { WhenAsk } from './WhenAsk.tsx'

/** The left half of the composer: audience, message, schedule, experiment and further options. */
export function Asks({
  appId,
  draft,
  onChange,
  details,
  screen,
}: {
  appId: string
  draft: CampaignDraft
  onChange: (draft: CampaignDraft) => void
  details: readonly FaultDetail[]
  screen: Screen
}) {
  const errorAt = byPath(details)
  const change = (changed: Partial<CampaignDraft>) => onChange({ ...draft, ...changed })
  const template = useTemplate(appId, draft.templateId)
  const dataKeys = draft.data.map(({ key }) => key)
  return (
    <>
      <Card title="Audience">
        <AudienceAsk
          appId={appId}
          value={draft.audience}
          onChange={(audience) => change({ audience })}
          details={details.filter(({ path }) => path.startsWith('segment'))}
        />
      </Card>
      <Card title="Message">
        <MessageAsk
          appId={appId}
          draft={draft}
          onChange={onChange}
          errorAt={errorAt}
          screen={screen}
          template={template}
          dataKeys={dataKeys}
        />
      </Card>
      <Card title="Schedule">
        <WhenAsk value={draft.schedule} onChange={(schedule) => change({ schedule })} zone={screen.zone} errorAt={errorAt} />
      </Card>
      <Card title="A/B test">
        <ExperimentAsk appId={appId} draft={draft} onChange={onChange} errorAt={errorAt} screen={screen} />
      </Card>
      <Card title="Options">
        <div className="flex flex-col gap-4">
          <Field label="Campaign name" hint="For you and your colleagues. Defaults to the title." error={errorAt('name')}>
            {(control) => <TextInput {...control} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
          </Field>
          <details>
            <summary className="min-h-6 font-medium">Data, delivery and appearance</summary>
            <div className="mt-3 flex flex-col gap-4">
              <BypassAsk value={draft.bypass} onChange={(bypass) => change({ bypass })} />
              <OptionsEditor value={draft} onChange={change} errorAt={errorAt} template={template?.options} />
            </div>
          </details>
        </div>
      </Card>
    </>
  )
}
