import type { Content } from '@herald/contracts/content'
import { contentOfDraft, draftOfContent, emptyContent, type ContentDraft } from './content-draft.ts'
import {
  draftOfOptions,
  emptyOptions,
  optionsOfDraft,
  type OptionsBody,
  type OptionsDraft,
  type OptionsRead,
} from './send-options-draft.ts'

/** The fields of a stored template that the editor needs. The texts were checked when the template was saved. */
export type TemplateRead = OptionsRead & { content: Record<string, unknown> }

/** Gives the texts and options of a template, to copy them into a message. */
export const fieldsOfTemplate = (template: TemplateRead): OptionsDraft & { content: ContentDraft } => ({
  ...draftOfOptions(template),
  content: draftOfContent(template.content as Content),
})

/** A template while the operator writes it. */
export type TemplateForm = OptionsDraft & { name: string; description: string; content: ContentDraft }

export const emptyTemplate: TemplateForm = { ...emptyOptions, name: '', description: '', content: emptyContent() }

export const formOfTemplate = (template: TemplateRead & { name: string; description: string | null }): TemplateForm => ({
  ...fieldsOfTemplate(template),
  name: template.name,
  description: template.description ?? '',
})

/**
 * Gives the body that saves a template; it replaces the stored one. Options that have their default are left out, so that each send can still decide
 * them.
 */
export function bodyOfTemplate(form: TemplateForm): OptionsBody & { name: string; description: string | null; content: Content } {
  const { silent, data, priority, ...rest } = optionsOfDraft(form)
  return {
    name: form.name,
    description: form.description === '' ? null : form.description,
    content: contentOfDraft(form.content),
    ...rest,
    ...(silent === true ? { silent } : {}),
    ...(data && Object.keys(data).length > 0 ? { data } : {}),
    ...(priority === 'normal' ? { priority } : {}),
  }
}
