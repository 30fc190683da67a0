import type { FaultDetail } from '@herald/contracts/fault'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { byPath } from '../../core/check-draft.ts'
import { stepOfPath, stepText, type StepName } from '../../core/step-texts.ts'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { OptionsEditor } from '../../ui/content/OptionsEditor.tsx'
import { AudienceAsk } from './AudienceAsk.tsx'
import { BypassAsk } from './BypassAsk.tsx'
import { focusField } from './focus-field.ts'
import { ExperimentAsk } from './ExperimentAsk.tsx'
import { InboxAsk } from './InboxAsk.tsx'
import { MessageAsk, useTemplate } from './MessageAsk.tsx'
import { Step } from './Step.tsx'
import type { Screen } from './useScreen.ts'
import { WhenAsk } from './WhenAsk.tsx'

/**
 * The left half of the composer: the name, and the four steps. The message is open at first, in one that is written already
 * also the audience, and so is each step of which `told` names a mistake.
 */
export function Asks({
  appId,
  draft,
  onChange,
  details,
  told,
  screen,
}: {
  appId: string
  draft: CampaignDraft
  onChange: (draft: CampaignDraft) => void
  details: readonly FaultDetail[]
  told: readonly FaultDetail[]
  screen: Screen
}) {
  const errorAt = byPath(details)
  const change = (changed: Partial<CampaignDraft>) => onChange({ ...draft, ...changed })
  const template = useTemplate(appId, draft.templateId)
  const dataKeys = draft.data.map(({ key }) => key)
  const { edit } = useSearch({ from: '/apps/$appId/compose' })
  const [open, setOpen] = useState<ReadonlySet<StepName>>(() => {
    const first: StepName[] = isWritten(draft) ? ['audience', 'message'] : ['message']
    return new Set(edit === undefined ? first : [...first, stepOfPath(edit)])
  })
  useEffect(() => {
    if (edit !== undefined) focusField(edit)
    // Only on the way back from the review, when the fields are made anew.
  }, [])
  useEffect(() => {
    if (told.length > 0) setOpen((before) => new Set([...before, ...told.map(({ path }) => stepOfPath(path))]))
  }, [told])
  const now = new Date()
  const step = (name: StepName) => ({
    id: `step-${name}`,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    summary: stepText(name, draft, now),
    isOpen: open.has(name),
    onToggle: () => setOpen(new Set(open.has(name) ? [...open].filter((one) => one !== name) : [...open, name])),
    hasMistake: details.some(({ path }) => stepOfPath(path) === name),
  })
  return (
    <>
      <Field label="Campaign name" hint="For you and your colleagues. Defaults to the title." error={errorAt('name')}>
        {(control) => <TextInput {...control} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
      </Field>
      <Step {...step('audience')}>
        <AudienceAsk
          appId={appId}
          value={draft.audience}
          onChange={(audience) => change({ audience })}
          details={details.filter(({ path }) => path.startsWith('segment'))}
        />
      </Step>
      <Step {...step('message')}>
        <MessageAsk
          appId={appId}
          draft={draft}
          onChange={onChange}
          errorAt={errorAt}
          screen={screen}
          template={template}
          dataKeys={dataKeys}
        />
      </Step>
      <Step {...step('schedule')}>
        <WhenAsk value={draft.schedule} onChange={(schedule) => change({ schedule })} zone={screen.zone} errorAt={errorAt} />
      </Step>
      <Step {...step('options')}>
        <div className="flex flex-col gap-4">
          <ExperimentAsk appId={appId} draft={draft} onChange={onChange} errorAt={errorAt} screen={screen} />
          <InboxAsk value={draft.inbox} onChange={(inbox) => change({ inbox })} isSilent={draft.silent} error={errorAt('inbox')} />
          <BypassAsk value={draft.bypass} onChange={(bypass) => change({ bypass })} />
          <OptionsEditor value={draft} onChange={change} errorAt={errorAt} template={template?.options} />
        </div>
      </Step>
    </>
  )
}

/** A copy or a template brings its text, and is most often for other people. */
const isWritten = ({ content, experiment }: CampaignDraft): boolean =>
  (experiment?.variants[0]?.content ?? content).entries.some(({ entry }) => entry.title !== '')
