import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { placeName } from '../../../shared/regions.ts'
import { queryClient, useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Fixed, ImageField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { usePreference } from '../../../web/list/usePreference.ts'
import { setPrefs, usePrefs } from '../../../web/prefs.ts'
import { Select } from '../../../web/ui/select.tsx'
import { session } from '../contract.ts'
import { Devices, RecentSignIns } from './Devices.tsx'
import { PhoneDialog } from './PhoneDialog.tsx'
import { Security } from './Security.tsx'

const timings = ['off', 's30', 'm1', 'm30', 'h1'] as const
const isTiming = (found: unknown): found is (typeof timings)[number] =>
  timings.some((timing) => timing === found)

export function Info() {
  const { t } = useTranslation(['session', 'web'])
  const { lang } = usePrefs()
  const [changing, setChanging] = useState(false)
  const loaded = useRead(session.profile, {}, { inline: true })
  const profile = loaded.data
  const service = profile?.serviceRequired ?? false
  const region = placeName(profile?.regionCode ?? '')
  return (
    <>
      <FormPage
        title={t('web:info.title')}
        subtitle={profile?.username}
        ns="session"
        save={session.editProfile}
        loaded={loaded}
        initial={profile ? pickFor(session.editProfile.input, profile) : {}}
        back="/home"
        onSaved={(saved) => {
          queryClient.setQueryData([session.profile.path, {}], saved)
          void queryClient.invalidateQueries({ queryKey: ['session.user'] })
        }}
      >
        <Section title={t('web:info.basic')} purpose={t('web:info.basicPurpose')}>
          <ImageField name="img" required own />
          <TextField name="realName" count />
          <Fixed label={t('fields.phone')}>
            <Flex component="span" align="center" gap={8}>
              {profile?.phone || t('web:info.none')}
              <Button type="link" size="small" onClick={() => setChanging(true)}>
                {t('me.changePhone')}
              </Button>
            </Flex>
          </Fixed>
          <TextField name="consumerPhone" required={service} />
          <TextField name="address" wide count required={service} />
        </Section>
        <Section title={t('web:info.account')} purpose={t('web:info.accountPurpose')}>
          <Fixed label={t('fields.username')}>{profile?.username}</Fixed>
          <Fixed label={t('fields.orgName')}>{profile?.orgName}</Fixed>
          <Fixed label={t('fields.roles')}>
            {profile?.roleNames.map((role) => (lang === 'en' ? role.en : role.zh)).join(' / ')}
          </Fixed>
          <Fixed label={t('fields.region')}>{region || t('web:info.none')}</Fixed>
        </Section>
        <Section title={t('factor.title')} purpose={t('factor.purpose')}>
          <Security />
        </Section>
        <Section title={t('me.preferences')} purpose={t('me.preferencesPurpose')}>
          <Choices />
        </Section>
        <Section title={t('me.devices')}>
          <Devices />
        </Section>
        <Section title={t('me.recent')}>
          <RecentSignIns />
        </Section>
      </FormPage>
      {changing ? <PhoneDialog onClose={() => setChanging(false)} /> : null}
    </>
  )
}

/** Kept at once, apart from the form: they are choices of this browser and of the home page. */
function Choices() {
  const { t } = useTranslation('session')
  const { lang } = usePrefs()
  const [refresh, setRefresh] = usePreference('home.refresh', (found) =>
    isTiming(found) ? found : null,
  )
  return (
    <>
      <Fixed label={t('web:shell.language')}>
        <Select
          aria-label={t('web:shell.language')}
          value={lang}
          options={[
            { value: 'zh-CN', label: '\u4e2d\u6587' },
            { value: 'en', label: 'English' },
          ]}
          onChange={(next) => setPrefs({ lang: next })}
        />
      </Fixed>
      <Fixed label={t('me.refresh')}>
        <Select
          aria-label={t('me.refresh')}
          value={refresh ?? 'm1'}
          options={timings.map((value) => ({ value, label: t(`me.${value}`) }))}
          onChange={(next) => setRefresh(next)}
        />
      </Fixed>
    </>
  )
}
