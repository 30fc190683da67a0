import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Receber notificações?',
  text: 'Avisamos você quando houver algo para você. Pode desativá-las a qualquer momento.',
  yes: 'Sim, obrigado',
  no: 'Agora não',
  bell: 'Notificações',
  on: 'As notificações estão ativadas.',
  off: 'As notificações estão desativadas.',
  turnOn: 'Ativar',
  turnOff: 'Desativar',
  blocked: 'As notificações estão bloqueadas. Clique no símbolo antes do endereço e permita-as.',
  home: 'Toque em Partilhar, depois em “Adicionar à tela de início”, e abra o site a partir dali.',
  install: 'Instalar o aplicativo',
}
