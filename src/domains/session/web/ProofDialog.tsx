import { Form, Input, type InputRef } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { useFocusBack } from '../../../web/useFocusBack.ts'
import { factorErrors, factorEndpoints as session } from '../factorContract.ts'

/** Password, or code where the second factor is on; the call that waited goes on when it is right. */
export function ProofDialog({ onAnswer }: { onAnswer: (given: boolean) => void }) {
  const { t } = useTranslation('web')
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState('')
  const field = useRef<InputRef>(null)
  useFocusBack()
  const factor = useRead(session.factor, {}, { staleTime: 0 })
  const byCode = factor.data?.on ?? false
  const prove = useWrite(session.prove, {
    claims: [
      factorErrors.wrongFactor.name,
      factorErrors.wrongProof.name,
      factorErrors.proofShut.name,
      'common.invalid',
    ],
    invalidates: [],
    onSuccess: () => onAnswer(true),
  })
  const submit = () => {
    if (prove.isPending || text === '' || !factor.data) return
    prove.mutate(byCode ? { code: text } : { password: text }, {
      onError: (error) => {
        setWrong(error.message)
        setText('')
        field.current?.focus()
      },
    })
  }
  const name = byCode ? 'code' : 'password'
  const props = {
    id: 'proof',
    ref: field,
    value: text,
    autoFocus: true,
    maxLength: 128,
    autoComplete: byCode ? 'one-time-code' : 'current-password',
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
    onPressEnter: submit,
  }
  return (
    <Modal
      open
      width={416}
      title={t('proof.title')}
      okText={t('proof.submit')}
      cancelText={t('action.cancel')}
      okButtonProps={{ disabled: text === '' || !factor.data }}
      confirmLoading={prove.isPending}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={() => onAnswer(false)}
      // over the form that asked
      zIndex={1100}
    >
      <p>{t('proof.lead')}</p>
      <Form layout="vertical" component={false}>
        <Form.Item
          label={t(`proof.${name}`)}
          htmlFor="proof"
          {...(wrong ? { validateStatus: 'error' as const, help: wrong } : {})}
          extra={byCode && !wrong ? t('proof.codeHint') : undefined}
        >
          {byCode ? <Input {...props} /> : <Input.Password {...props} />}
        </Form.Item>
      </Form>
    </Modal>
  )
}
