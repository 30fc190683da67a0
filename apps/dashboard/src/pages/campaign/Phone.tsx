import { useState } from 'react'
import { nameOfLocale } from '../../core/locale-tabs.ts'
import { useApp } from '../../session/useAppId.ts'
import { Section } from '../../ui/Section.tsx'
import { IosPreview } from '../../ui/content/IosPreview.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Campaign } from './useSend.ts'

type Content = NonNullable<Campaign['content']>

/** Shows a message as an iPhone shows it, as it was written, in a language of the operator's choice. */
export function Phone({ content }: { content: Content }) {
  const { data: app } = useApp()
  const { _default: fallback } = content
  const [chosen, setChosen] = useState<string>()
  const locales = Object.keys(content).filter((key) => key !== '_default')
  const locale = chosen !== undefined && locales.includes(chosen) ? chosen : typeof fallback === 'string' ? fallback : locales[0]
  const entry = locale === undefined ? undefined : content[locale]
  if (typeof entry !== 'object') return null
  const theme = document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light'
  return (
    <Section
      title="Preview"
      actions={
        locales.length > 1 && (
          <Select
            aria-label="Language of the preview"
            value={locale ?? ''}
            options={locales.map((value) => ({ value, label: nameOfLocale(value) }))}
            onChange={({ target }) => setChosen(target.value)}
          />
        )
      }
    >
      <div lang={locale}>
        <IosPreview entry={entry} app={app?.name ?? ''} theme={theme} />
      </div>
    </Section>
  )
}
