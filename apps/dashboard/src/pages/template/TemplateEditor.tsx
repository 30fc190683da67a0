import { SaveTemplate } from '@herald/contracts/template'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { detailsOf, byPath, visibleDetails } from '../../core/check-draft.ts'
import { entryOf, type ContentDraft } from '../../core/content-draft.ts'
import { bodyOfTemplate, type TemplateForm } from '../../core/template-draft.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Card } from '../../ui/Card.tsx'
import { ContentEditor } from '../../ui/content/ContentEditor.tsx'
import { OptionsEditor } from '../../ui/content/OptionsEditor.tsx'
import { TestSend } from '../../ui/content/TestSend.tsx'
import { Field } from '../../ui/Field.tsx'
import { placeInWords } from '../../core/warning-lines.ts'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { Page } from '../../ui/Page.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { LeaveGuard } from '../segment/LeaveGuard.tsx'
import { useSurroundings } from '../../ui/content/useSurroundings.ts'
import { MessagePreview } from '../../ui/content/MessagePreview.tsx'
import { DeleteTemplate } from './DeleteTemplate.tsx'

type StoredTemplate = components['schemas']['TemplatesOfApp']['items'][number]
type Details = readonly { path: string; message: string }[]

/**
 * Lets the operator edit a template, with the editor and the previews that messages have. The template is saved only when the operator asks for it,
 * because backends send what is saved.
 */
export function TemplateEditor({ appId, stored, initial }: { appId: string; stored: StoredTemplate | undefined; initial: TemplateForm }) {
  const [form, setForm] = useState(initial)
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const [told, setTold] = useState<Details>([])
  const navigate = useNavigate()
  const queries = useQueryClient()
  const screen = useTemplateScreen(appId, form.content)
  const body = bodyOfTemplate(form)
  const isChanged = JSON.stringify(body) !== JSON.stringify(bodyOfTemplate(initial))
  const mistakes = detailsOf(SaveTemplate, body)
  const errorAt = byPath([...visibleDetails(mistakes, body, asked), ...told])
  const put = (changed: Partial<TemplateForm>) => {
    setTold([])
    setForm({ ...form, ...changed })
  }

  const save = async () => {
    setAsked(true)
    setTold(mistakes)
    if (mistakes.length > 0 || busy) return
    setBusy(true)
    try {
      const saved = await saveTemplate(appId, stored?.id, body)
      announce(`${saved.name} is saved.`)
      await queries.invalidateQueries()
      await navigate({
        to: '/apps/$appId/templates/$templateId',
        params: { appId, templateId: saved.id },
        search: (search) => search,
        replace: true,
        ignoreBlocker: true,
      })
    } catch (error) {
      const { code, message, details } = faultOf(error)
      if (code === 'duplicate_name') setTold([{ path: 'name', message: 'is the name of another template; choose another' }])
      else setTold(details.length > 0 ? details : [{ path: '', message }])
    } finally {
      setBusy(false)
    }
  }
  useShortcut('mod+enter', () => void save(), 'Save the template')

  return (
    <Page
      title={stored?.name ?? 'New template'}
      lead={stored && usedBy(stored.useCount)}
      guide="personalisation"
      actions={
        <>
          {stored && <DeleteTemplate appId={appId} template={stored} />}
          {stored && (
            <ButtonLink needed="send" to="/apps/$appId/compose" params={{ appId }} search={{ templateId: stored.id }}>
              Use template
            </ButtonLink>
          )}
          <Button needed="send" variant="primary" busy={busy} disabled={stored !== undefined && !isChanged} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,25rem)]">
        <div className="flex min-w-0 flex-col gap-5">
          <FormErrors details={told.map(({ path, message }) => ({ path: '', message: `${placeInWords(path).words}: ${message}` }))} />
          <LeaveGuard isChanged={isChanged && !busy} />
          <Card title="Template">
            <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,14rem),1fr))] gap-3">
              <Field label="Name" required error={errorAt('name')}>
                {(control) => <TextInput {...control} value={form.name} onChange={({ target }) => put({ name: target.value })} />}
              </Field>
              <Field label="Description" error={errorAt('description')}>
                {(control) => (
                  <TextInput {...control} value={form.description} onChange={({ target }) => put({ description: target.value })} />
                )}
              </Field>
            </div>
          </Card>
          <Card title="Message">
            <ContentEditor
              value={form.content}
              onChange={(content) => put({ content })}
              locale={screen.locale}
              onLocale={screen.setLocale}
              tags={screen.tags}
              dataKeys={form.data.map(({ key }) => key)}
              errorAt={(path) => errorAt(`content.${path}`)}
            />
          </Card>
          <Card title="Data, delivery and appearance">
            <OptionsEditor value={form} onChange={put} errorAt={errorAt} />
          </Card>
          <Card title="Send a test">
            <TestSend appId={appId} content={form.content} options={form} screen={screen} />
          </Card>
        </div>
        <MessagePreview appId={appId} entry={entryOf(form.content, screen.locale)} options={form} screen={screen} name={form.name} />
      </div>
    </Page>
  )
}

const usedBy = (count: number): string =>
  count === 0 ? 'Not used yet.' : `Used in ${count} ${count === 1 ? 'send, which keeps' : 'sends, which keep'} what was copied.`

async function saveTemplate(
  appId: string,
  id: string | undefined,
  body: ReturnType<typeof bodyOfTemplate>,
): Promise<{ id: string; name: string }> {
  if (id === undefined) {
    return dataOf(await client.POST('/v1/admin/apps/{appId}/templates', { params: { path: { appId } }, body: body as never }))
  }
  return dataOf(await client.PUT('/v1/admin/apps/{appId}/templates/{id}', { params: { path: { appId, id } }, body: body as never }))
}

/** Gives what the template page shows beside the template: the language and the user, which are in the address, and the app's name, zone and tags. */
function useTemplateScreen(appId: string, content: ContentDraft) {
  const search = useSearch({ from: '/apps/$appId/templates/$templateId' })
  const navigate = useNavigate()
  const put = (change: Partial<typeof search>) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true, ignoreBlocker: true })
  const surroundings = useSurroundings(appId, search.person)
  return {
    ...surroundings,
    locale: content.entries.some(({ locale }) => locale === search.locale) ? (search.locale ?? content.fallback) : content.fallback,
    setLocale: (locale: string) => put({ locale }),
    personKey: search.person ?? 'sample',
    setPerson: (key: string) => put({ person: key === 'sample' ? undefined : key }),
  }
}
