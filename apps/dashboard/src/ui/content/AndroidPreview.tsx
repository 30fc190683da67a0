import type { LocaleEntry } from '@herald/contracts/content'
import { clsx } from 'clsx'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { AppIcon, PictureFrame, PreviewActions } from './PreviewParts.tsx'

/** Draws a message roughly as Android shows it: collapsed and expanded. */
export function AndroidPreview({ entry, app, theme }: { entry: LocaleEntry; app: string; theme: 'light' | 'dark' }) {
  const ground = theme === 'light' ? 'bg-[#e3e3e8] text-[#1b1b1f]' : 'bg-[#0e0f12] text-[#e4e2e6]'
  const card = theme === 'light' ? 'bg-[#fdfbff]' : 'bg-[#25262b]'
  const head = (Chevron: typeof ChevronDown) => (
    <p className="flex items-center gap-2 text-[11px] opacity-75">
      <span className="min-w-0 truncate">{app}</span>
      <span aria-hidden>•</span>
      now
      <Chevron size={14} aria-hidden />
    </p>
  )
  return (
    <div className={clsx('flex flex-col gap-3 rounded-xl p-3', ground)}>
      <p className="text-xs opacity-80">Collapsed</p>
      <div className={clsx('flex gap-3 rounded-3xl px-4 py-3', card)}>
        <AppIcon app={app} className="size-8 rounded-full" />
        <div className="min-w-0 flex-1">
          {head(ChevronDown)}
          <p dir="auto" className="truncate text-[14px] font-medium">
            {entry.title}
          </p>
          <p dir="auto" className="truncate text-[13px] opacity-80">
            {entry.body}
          </p>
        </div>
        {entry.image !== undefined && (
          <PictureFrame address={entry.image} className="aspect-square! w-10! shrink-0 self-center rounded-lg p-0! text-[0px]" />
        )}
      </div>
      <p className="text-xs opacity-80">Expanded</p>
      <div className={clsx('flex gap-3 rounded-3xl px-4 py-3', card)}>
        <AppIcon app={app} className="size-8 rounded-full" />
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          {head(ChevronUp)}
          <p dir="auto" className="text-[14px] font-medium break-words">
            {entry.title}
          </p>
          <p dir="auto" tabIndex={0} className="max-h-60 overflow-y-auto text-[13px] break-words whitespace-pre-line opacity-80">
            {entry.body}
          </p>
          {entry.image !== undefined && <PictureFrame address={entry.image} className="mt-1 rounded-xl" />}
          <PreviewActions
            actions={entry.actions}
            most={3}
            where="Android"
            className="mt-1 flex flex-wrap gap-x-5"
            each={clsx('max-w-full truncate py-1 text-[13px] font-medium', theme === 'light' ? 'text-[#3449b0]' : 'text-[#b8c4ff]')}
          />
        </div>
      </div>
    </div>
  )
}
