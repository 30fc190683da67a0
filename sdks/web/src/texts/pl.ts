import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Otrzymywać powiadomienia?',
  text: 'Damy znać, gdy będzie coś dla Ciebie. Możesz je wyłączyć w każdej chwili.',
  yes: 'Tak, poproszę',
  no: 'Nie teraz',
  bell: 'Powiadomienia',
  on: 'Powiadomienia są włączone.',
  off: 'Powiadomienia są wyłączone.',
  turnOn: 'Włącz',
  turnOff: 'Wyłącz',
  blocked: 'Powiadomienia są zablokowane. Kliknij symbol przed adresem i zezwól na nie.',
  home: 'Stuknij Udostępnij, potem „Do ekranu początkowego”, i otwórz stronę stamtąd.',
  install: 'Zainstaluj aplikację',
}
