import type { DeviceType } from '../../../adapter/device.ts';

/** What people look for besides the names of the types, in Swedish and English. */
export const HOUSEHOLD_WORDS = {
  vehicle: 'elbil elbilar laddhybrid hybrid fordon ev electric car vehicle plug-in',
  charger:
    'laddare laddstation laddstolpe elbilsladdare billaddare elbilsladdning hemmaladdning wallbox evse charging station point ev charger',
  heat_pump:
    'värme luftvärmepump luftvatten bergvärmepump bergvärme jordvärme frånluftsvärmepump uppvärmning varmvatten varmvattenberedare luftkonditionering heating hot water heater air conditioner conditioning aircondition ac',
  thermostat:
    'element elementtermostat radiator radiatortermostat golvvärme uppvärmning värme heating underfloor valve',
  solar_inverter: 'solceller solpaneler solpanel solel växelriktare pv solar inverter photovoltaic',
  battery:
    'batteri batterilager hembatteri hemmabatteri solbatteri husbatteri energilager home battery storage',
  smart_home_appliance:
    'vitvaror diskmaskin tvättmaskin torktumlare ugn spishäll häll fläkt kyl kylskåp frys kaffemaskin robotdammsugare white goods dishwasher washing machine washer tumble dryer oven hob cooker hood fridge refrigerator freezer coffee maker robot vacuum eluttag uttag smart plug plugg relä relay elmätare energimätare meter',
  light: 'belysning ljus glödlampa ledlampa armatur light lights lighting light bulb',
  elevator: 'elevator lift hissar',
  industrial: 'industri fabrik process industry industrial factory plant',
} satisfies Record<DeviceType, string>;

/** The same in Norwegian, Danish and Finnish, in which the pages are not written. */
export const NEIGHBOURS_WORDS = {
  vehicle: 'elbiler ladbar hybridbil sähköauto sähköautot hybridiauto auto',
  charger:
    'lader ladeboks ladestander ladestasjon elbillader hjemmelader elbilladning elbillading latausasema kotilatausasema latauslaite autolaturi laturi',
  heat_pump:
    'varmepumpe varmepumper bergvarme jordvarme oppvarming opvarmning varmtvann varmtvand varmtvannsbereder lämpöpumppu ilmalämpöpumppu maalämpö maalämpöpumppu vesilämpöpumppu lämmitys lämminvesivaraaja',
  thermostat:
    'panelovn varmeovn gulvvarme varmekabler oppvarming opvarmning termostaatti patteri lattialämmitys lämmitys',
  solar_inverter:
    'solcelle solcelleanlegg solcelleanlæg solcellepanel vekselretter aurinkopaneeli aurinkopaneelit aurinkosähkö invertteri',
  battery: 'hjemmebatteri boligbatteri batteripakke akku kotiakku aurinkoakku energiavarasto sähkövarasto',
  smart_home_appliance:
    'hvitevarer hvidevarer oppvaskmaskin opvaskemaskine vaskemaskin vaskemaskine tørketrommel tørretumbler stekeovn komfyr kjøleskap køleskab fryser stikkontakt strømmåler elmåler kodinkoneet astianpesukone pesukone kuivausrumpu uuni liesi jääkaappi pakastin pistorasia sähkömittari',
  light: 'lampe lamper lys lyspære elpære lamppu lamput valo valot valaistus',
  elevator: 'heis heiser elevatorer hissi hissit',
  industrial: 'industrianlegg industrianlæg fabrikk teollisuus tehdas',
} satisfies Record<DeviceType, string>;

/** What people look for who want made-up devices. */
export const TESTING_WORDS = 'test testing demo simulated simulerad simulator påhittad';
