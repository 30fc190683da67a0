import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { newId } from '../../core/new-id.ts'
import { countText } from '../../core/number.ts'
import { equationOf, isOver } from '../../core/progress.ts'
import { recallActions, recallAsks, recallOnPlatforms, type RecallMode } from '../../core/recall-words.ts'
import { some } from '../../core/spans.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextArea, TextInput } from '../../ui/TextInput.tsx'
import { mostUntyped } from './SendSheet.tsx'
import type { Campaign, Reading } from './useSend.ts'

/** Lets the operator stop a send that went out by mistake, and ask devices to replace or to remove what they show. Says what each platform can do. */
export function RecallDialog({
  appId,
  campaign,
  reading,
  onClose,
  onDone,
}: {
  appId: string
  campaign: Campaign
  reading: Reading
  onClose: () => void
  onDone: () => void
}) {
  const navigate = useNavigate()
  const [key] = useState(newId)
  const [mode, setMode] = useState<RecallMode>('replace')
  const [text, setText] = useState(() => shownText(campaign))
  const [alsoOpened, setAlsoOpened] = useState(false)
  const over = isOver(reading.status)
  const { sent, waiting } = equationOf(reading.stats)
  const isWritten = text.title.trim() !== '' && text.body.trim() !== ''
  const send = async () => {
    const { id } = dataOf(
      await client.POST('/v1/admin/apps/{appId}/campaigns/{id}/recall', {
        params: { path: { appId, id: campaign.id }, header: { 'Idempotency-Key': `${key}-${mode}` } },
        body: {
          mode,
          ...(mode === 'replace' && { content: { _default: text.locale, [text.locale]: { title: text.title, body: text.body } } }),
          ...(mode !== 'stop' && { skipOpened: !alsoOpened }),
        } as never,
      }),
    )
    onDone()
    announce(mode === 'stop' ? 'Stopping: what is not sent yet is skipped' : `${recallAsks[mode]}, as soon as the send has ended`)
    if (id !== campaign.id) await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Recall “${campaign.name}”`}
      action={recallActions[mode]}
      danger
      ready={mode !== 'replace' || isWritten}
      typed={mode !== 'stop' && sent > mostUntyped ? countText(sent) : undefined}
      onConfirm={send}
    >
      <div className="flex flex-col gap-4">
        <p>
          {some(sent, 'push was', 'pushes were')} sent{waiting > 0 && `; ${some(waiting, 'push', 'pushes')} still waiting will not be sent`}
          . Messages already read cannot be taken back.
        </p>
        <Choice
          legend={<span className="sr-only">What to do</span>}
          value={mode}
          onChange={setMode}
          options={[
            { value: 'replace', label: 'Replace it', hint: 'Devices are asked to show another text in its place' },
            { value: 'dismiss', label: 'Remove it', hint: 'Devices are asked to remove it' },
            {
              value: 'stop',
              label: 'Just stop sending',
              hint: over ? 'It has ended already' : 'Notifications already shown stay',
              disabled: over,
            },
          ]}
        />
        {mode === 'replace' && (
          <>
            <Field label="Title">
              {(control) => (
                <TextInput
                  {...control}
                  dir="auto"
                  value={text.title}
                  onChange={({ target }) => setText({ ...text, title: target.value })}
                />
              )}
            </Field>
            <Field label="Text" hint="Everybody gets this text, whatever their language.">
              {(control) => (
                <TextArea
                  {...control}
                  dir="auto"
                  rows={3}
                  value={text.body}
                  onChange={({ target }) => setText({ ...text, body: target.value })}
                />
              )}
            </Field>
          </>
        )}
        {mode !== 'stop' && (
          <>
            <FactList items={recallOnPlatforms[mode].map(({ platform, can }) => ({ label: platform, value: can }))} />
            <Checkbox
              label="Include devices on which it was opened"
              hint={mode === 'replace' ? 'They may get the new text as a new notification.' : 'Most no longer show it.'}
              checked={alsoOpened}
              onChange={({ target }) => setAlsoOpened(target.checked)}
            />
            <p className="text-sm text-muted">
              An offline device gets the request when it is back online, if at all. There is no confirmation.
            </p>
          </>
        )}
      </div>
    </Confirm>
  )
}

/** Gives the title and the text of a campaign in its default language. */
function shownText({ content, experiment }: Campaign): { locale: string; title: string; body: string } {
  const { _default: locale, ...entries } = experiment?.variants[0]?.content ?? content ?? { _default: 'en' }
  const entry = (entries as Record<string, unknown>)[locale]
  const { title = '', body = '' } = (typeof entry === 'object' && entry !== null ? entry : {}) as { title?: string; body?: string }
  return { locale, title, body }
}
