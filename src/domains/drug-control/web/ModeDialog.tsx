import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Rows } from '../../../web/Detail.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, RadioField, TextAreaField } from '../../../web/form/fields.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { dispensingModes } from '../../drug-guard/rules.ts'
import { drugControl, type ModeOfMachine } from '../contract.ts'

type Props = { deviceId: number; onClose: () => void }

/** Another way of dispensing: one asks, somebody else agrees; both hear how many lanes would stop. */
export function ModeDialog({ deviceId, onClose }: Props) {
  const read = useRead(drugControl.mode, { deviceId }, { inline: true })
  if (!read.data)
    return (
      <Modal open footer={null} onCancel={onClose}>
        <Unread read={read} rows={3} />
      </Modal>
    )
  const { waiting } = read.data
  return waiting ? (
    <Decide machine={read.data} waiting={waiting} onClose={onClose} />
  ) : (
    <Ask machine={read.data} onClose={onClose} />
  )
}

function Ask({ machine, onClose }: { machine: ModeOfMachine; onClose: () => void }) {
  const { t } = useTranslation('drugControl')
  const confirm = useConfirm()
  const { deviceId, rtuNumber, mode, stops } = machine
  return (
    <FormDialog
      ns="drugControl"
      title={t('mode.title', { rtuNumber })}
      save={drugControl.askMode}
      initial={{ deviceId }}
      before={({ to }) =>
        confirm({
          title: t('mode.ask', { m: stops[to as keyof typeof stops] ?? 0 }),
          ok: t('mode.submit'),
          danger: true,
        })
      }
      success="drugControl:mode.asked"
      okText={t('mode.submit')}
      onClose={onClose}
    >
      <Note>{t('mode.hint', { mode: t(`enums.to.${mode}`) })}</Note>
      <RadioField
        name="to"
        options={dispensingModes
          .filter((other) => other !== mode)
          .map((value) => ({ value, label: t(`enums.to.${value}`) }))}
      />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

type Waiting = NonNullable<ModeOfMachine['waiting']>
function Decide(props: { machine: ModeOfMachine; waiting: Waiting; onClose: () => void }) {
  const { t } = useTranslation('drugControl')
  const { machine, waiting, onClose } = props
  const confirm = useConfirm()
  const save = useWrite(drugControl.decideMode, { success: 'web:success.done', onSuccess: onClose })
  const stops = machine.stops[waiting.to]
  const decide = async (agree: boolean) => {
    const title = agree ? t('mode.ask', { m: stops }) : t('mode.refuseAsk')
    if (await confirm({ title, danger: true, ok: t(agree ? 'mode.agree' : 'mode.refuse') }))
      save.mutate({ id: waiting.id, agree, stops })
  }
  return (
    <Modal
      open
      title={t('mode.waits', { rtuNumber: machine.rtuNumber })}
      onCancel={onClose}
      footer={[
        <Button key="no" danger onClick={() => void decide(false)}>
          {t(waiting.own ? 'mode.withdraw' : 'mode.refuse')}
        </Button>,
        waiting.own ? null : (
          <Button key="yes" type="primary" onClick={() => void decide(true)}>
            {t('mode.agree')}
          </Button>
        ),
      ]}
    >
      <Rows
        items={[
          [t('mode.from'), t(`enums.to.${machine.mode}`)],
          [t('fields.to'), t(`enums.to.${waiting.to}`)],
          [t('fields.reason'), waiting.reason],
          [t('mode.by'), waiting.askedBy],
          [t('mode.stops'), String(stops)],
        ]}
      />
      {waiting.own ? <Note>{t('mode.other')}</Note> : null}
    </Modal>
  )
}
