import type { EntryDraft } from '../../core/content-draft.ts'
import type { TemplateForm } from '../../core/template-draft.ts'
import { Card } from '../../ui/Card.tsx'
import { ByteMeters } from '../../ui/content/ByteMeters.tsx'
import { PersonPicker } from '../../ui/content/PersonPicker.tsx'
import { Previews } from '../../ui/content/Previews.tsx'
import { useMeasured } from '../../ui/content/useMeasured.ts'
import type { useTemplateScreen } from './useTemplateScreen.ts'

/** The right half of the template page: the previews and the sizes in bytes. */
export function TemplateAnswers({
  appId,
  form,
  entry,
  screen,
}: {
  appId: string
  form: TemplateForm
  entry: EntryDraft
  screen: ReturnType<typeof useTemplateScreen>
}) {
  const measured = useMeasured(entry, screen.person, form, { name: form.name, zone: screen.zone })
  return (
    <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-5 lg:max-h-[calc(100dvh-2.5rem)] lg:overflow-y-auto">
      <Card title={`Looks like this in ${screen.locale}`}>
        <Previews measured={measured} app={screen.app} silent={form.silent}>
          <PersonPicker appId={appId} value={screen.personKey} name={screen.person.name} onChange={screen.setPerson} />
        </Previews>
      </Card>
      <Card title="Bytes">
        <ByteMeters measured={measured} silent={form.silent} />
      </Card>
    </div>
  )
}
