import { App, Input, type ModalFuncProps } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

type Question = {
  readonly title: string
  readonly content?: ReactNode
  readonly danger?: boolean
  readonly ok?: string
  readonly cancel?: string
  /** The person types this before the button works: for what cannot be undone. */
  readonly typed?: string
}

/** `if (await confirm({ title: t('removeAsk'), danger: true })) remove.mutate(…)`. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const { modal } = App.useApp()
  const { t } = useTranslation('web')
  return ({ title, content, danger = false, ok, cancel, typed }) =>
    new Promise((resolve) => {
      const base: ModalFuncProps = {
        title, okText: ok ?? t('action.confirm'), cancelText: cancel ?? t('action.cancel'), okButtonProps: { danger, disabled: typed !== undefined }, autoFocusButton: danger ? 'cancel' : 'ok',
        onOk: () => resolve(true), onCancel: () => resolve(false), content: content ?? null,
      }
      const shown = modal.confirm(base)
      if (typed === undefined) return
      const change = (value: string) => shown.update({ okButtonProps: { danger, disabled: value !== typed } })
      shown.update({
        content: (
          <>
            {content}
            <p>{t('form.typeToConfirm', { text: typed })}</p>
            <Input aria-label={t('form.typeToConfirm', { text: typed })} autoComplete="off" onChange={(event) => change(event.target.value)} />
          </>
        ),
      })
    })
}
