import type { DeviceType } from '../../../adapter/device.ts';

/** What people look for besides the names of the types, in Swedish and English. */
export const HOUSEHOLD_WORDS = {
  vehicle: 'elbil elbilar laddhybrid hybrid fordon ev electric car vehicle plug-in',
  charger:
    'laddare laddstation laddstolpe elbilsladdare billaddare elbilsladdning hemmaladdning wallbox evse charging station point ev charger',
  heat_pump:
    'värme luftvärmepump luftvatten bergvärmepump bergvärme jordvärme frånluftsvärmepump uppvärmning varmvatten varmvattenberedare luftkonditionering heating hot water heater air conditioner conditioning ac',
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

/** What people look for who want made-up devices. */
export const TESTING_WORDS = 'test testing demo simulated simulerad simulator påhittad';
