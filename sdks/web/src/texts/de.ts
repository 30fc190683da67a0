import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Benachrichtigungen erhalten?',
  text: 'Wir sagen Ihnen, wenn es etwas für Sie gibt. Sie können es jederzeit abschalten.',
  yes: 'Ja, gern',
  no: 'Jetzt nicht',
  bell: 'Benachrichtigungen',
  on: 'Benachrichtigungen sind an.',
  off: 'Benachrichtigungen sind aus.',
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  blocked: 'Benachrichtigungen sind blockiert. Klicken Sie auf das Symbol vor der Adresse und erlauben Sie sie.',
  home: 'Tippen Sie auf „Teilen“, dann „Zum Home-Bildschirm“, und öffnen Sie die Seite von dort.',
  install: 'App installieren',
}
